-- SPDX-License-Identifier: MIT
-- The index of subjects: where the lessons, and the pages on their neighbours, speak of each term of the glossary, and of each of the words in subjects.tsv.
local source = require 'source'
local pages = require 'pages'
local stringify = pandoc.utils.stringify

local subjects = {}

-- A place is worth naming where the word is in the section's title, or where it stands so often. These sections every
-- lesson has.
local OFTEN, PLACES = 2, 5
local common = { ['Predict'] = true, ['The exercise'] = true, ['Where to read on'] = true }

-- Lower case, one blank between words, hyphens as blanks.
local function folded(text) return ' ' .. text:lower():gsub('[%s%-]+', ' ') .. ' ' end

-- How often a word stands in a folded text, alone or with an s. Most stand nowhere in most sections, which is found out sooner.
local function count(text, word)
    local n = 0
    if not text:find(word, 1, true) then return n end
    for _ in text:gmatch('%f[%w_]' .. word:gsub('%p', '%%%0') .. 's?%f[^%w_]') do n = n + 1 end
    return n
end

-- The sections of these pages: { page, id, title, text (folded prose) }.
local function sections()
    local list = {}
    for _, page in ipairs(pages.list) do
        local here = (page.part == 'lesson' or page.part == 'neighbours') and { page = page, title = folded(page.title), text = '' }
        if here then list[#list + 1] = here end
        for _, block in ipairs(here and page.blocks or {}) do
            if block.t == 'Header' then
                here = { page = page, id = block.identifier, name = stringify(block.content), title = folded(stringify(block.content)), text = '' }
                list[#list + 1] = here
            else
                local parts = { here.text }
                pandoc.Blocks { block }:walk {
                    Para = function(p) parts[#parts + 1] = folded(stringify(p)) end,
                    Plain = function(p) parts[#parts + 1] = folded(stringify(p)) end,
                }
                here.text = table.concat(parts)
            end
        end
    end
    return list
end

-- What the index has: { name, words, term of the glossary or nil }, in the order of the alphabet.
local function wanted()
    local list = {}
    for _, term in ipairs(pages.by_key.glossary.terms) do
        list[#list + 1] = { name = term.term, words = { folded(term.term):match('^ (.*) $') }, term = term }
    end
    for _, row in ipairs(source.table('book/subjects.tsv')) do
        local words = {}
        for word in (row[2] or row[1]):gmatch('[^|]+') do words[#words + 1] = folded(word):match('^ (.*) $') end
        list[#list + 1] = { name = row[1], words = words }
    end
    table.sort(list, function(a, b)
        local x, y = folded(a.name), folded(b.name)
        return x < y or x == y and a.name < b.name
    end)
    return list
end

-- The places of a subject: that where it is taught first, then the others in the order of the book.
local function places(subject, all)
    local found, few, home = {}, {}, nil
    local page, id = nil, nil
    if subject.term then page, id = pages.taught(subject.term) end
    for order, section in ipairs(all) do
        local titled, often = 0, 0
        for _, word in ipairs(subject.words) do
            titled, often = titled + count(section.title, word), often + count(section.text, word)
        end
        local place = { section = section, order = order, weight = 10 * titled + often }
        if page and section.page == page and (id and section.id == id or not id and place.weight > 0 and (not home or place.weight > home.weight)) then
            home = place
        end
        if not common[section.name or ''] and place.weight > 0 then
            table.insert((titled > 0 or often >= OFTEN) and found or few, place)
        end
    end
    if #found == 0 then found = few end
    table.sort(found, function(a, b) return a.weight > b.weight or a.weight == b.weight and a.order < b.order end)
    while #found > PLACES do table.remove(found) end
    table.sort(found, function(a, b) return a.order < b.order end)
    return home, found
end

-- Every subject with its places, found once for all three books.
local listed
local function list()
    if not listed then
        listed = wanted()
        local all = sections()
        for _, subject in ipairs(listed) do subject.home, subject.found = places(subject, all) end
    end
    return listed
end

-- As a list of definitions; what `address(page, id)` gives leads to the places.
function subjects.html(anchor, address)
    local out = { '<dl class="calls subjects">' }
    local function link(section, full)
        local title = section.name and ', “' .. source.escape(section.name) .. '”' or ''
        return ('<a href="%s">%s%s%s</a>'):format(address(section.page, section.id), full and 'lesson ' or '', section.page.label or source.escape(section.page.title), title)
    end
    for _, subject in ipairs(list()) do
        local home, found = subject.home, subject.found
        local also = {}
        for _, place in ipairs(found) do
            if not home or place.section ~= home.section then also[#also + 1] = link(place.section) end
        end
        if not home and #also == 0 and not subject.term then source.stop('book/subjects.tsv: no lesson speaks of “%s”', subject.name) end
        local text = (home and '<b>Taught in</b> ' .. link(home.section, true) or '')
            .. (#also > 0 and (home and '; also in ' or 'In ') .. table.concat(also, '; ') or '')
        if subject.term then
            local meaning = ('<a href="%s">glossary</a>'):format(address(pages.by_key.glossary, subject.term.id))
            text = text .. (text ~= '' and '; ' or '') .. meaning
        end
        local id = 'subject-' .. subject.name:lower():gsub('[^%w]+', '-'):gsub('%-$', '')
        table.insert(out, ('<dt id="%s">%s</dt><dd>%s.</dd>'):format(anchor(id), source.escape(subject.name), text))
    end
    table.insert(out, '</dl>')
    return table.concat(out, '\n')
end

return subjects
