-- SPDX-License-Identifier: MIT
-- Where things of the book are, in each of the three books, and the words that lead there by themselves: "lesson 05", a
-- term of the glossary, the title of a section or of a source in quotation marks.
local source = require 'source'
local pages = require 'pages'
local stringify = pandoc.utils.stringify

local links = {}

-- An id as `target` has it: in a book of one file a page's ids begin with its own.
function links.id(page, id, target)
    if target == 'page' then return id end
    return 'p-' .. page.key .. (id and '--' .. id or '')
end

-- The address of a place of the book, as seen from `from`.
function links.address(from, page, id, target)
    if target ~= 'page' then return '#' .. links.id(page, id, target) end
    local file = page == from and id and '' or (page.key .. '.html')
    return file .. (id and '#' .. id or '')
end

function links.link(from, content, page, id, target, class)
    return pandoc.Link(content, links.address(from, page, id, target), '', pandoc.Attr('', class and { class } or {}))
end

-- The page and the id that a link in a chapter means; nil: it leads out of the book.
function links.target_of(page, target)
    if target:match('^%a[%w+.-]*:') then return nil end
    local path, id = target:match('^([^#]*)#?(.*)$')
    if id == '' then id = nil end
    if path == '' then return page, id end
    local key = path:match('([^/]+)/chapter%.md$') or path:match('([%w-]+)%.md$') or path:match('([%w-]+)%.html$')
    key = key and (pages.by_key[key] and key or key:gsub('^%d+%-', ''))
    if not key or not pages.by_key[key] then
        source.stop('%s: the link to %s leads nowhere', page.path, target)
    end
    return pages.by_key[key], id
end

-- "lesson 05" becomes a link to it, if there is one. On paper a page number follows it; within brackets it gets none of
-- its own (`bracketed`).
function links.lessons(page, inlines, target)
    local out = pandoc.List()
    local i, depth = 1, 0
    while i <= #inlines do
        local here, gap, number = inlines[i], inlines[i + 1], inlines[i + 2]
        if here.t == 'Str' then
            local _, opened = here.text:gsub('%(', '')
            local _, closed = here.text:gsub('%)', '')
            depth = math.max(0, depth + opened - closed)
        end
        local before = here.t == 'Str' and here.text:match('^(.-)[Ll]essons?$')
        local digits, rest
        if before and number and (gap.t == 'Space' or gap.t == 'SoftBreak') and number.t == 'Str' then
            digits, rest = number.text:match('^(%d%d)(.*)$')
        end
        local lesson = digits and digits ~= page.label and pages.lesson(digits)
        if lesson then
            if before ~= '' then out:insert(pandoc.Str(before)) end
            out:insert(links.link(page, { pandoc.Str(here.text:sub(#before + 1)), pandoc.Space(), pandoc.Str(digits) },
                                  lesson, nil, target, depth > 0 and 'bracketed' or nil))
            if rest ~= '' then out:insert(pandoc.Str(rest)) end
            if rest:find(')', 1, true) then depth = math.max(0, depth - 1) end
            i = i + 3
        else
            out:insert(here)
            i = i + 1
        end
    end
    return out
end

-- The terms that a page may link, by their first words, the longer ones first. One in capitals is met in capitals only.
function links.terms_of(page)
    local list, by_first, glossary = {}, {}, pages.by_key.glossary
    if page.part ~= 'lesson' or not glossary then return by_first end
    for _, t in ipairs(glossary.terms) do
        local words, proper = {}, t.term:match('^%u+$')
        for word in t.term:lower():gmatch('%S+') do words[#words + 1] = proper or word end
        list[#list + 1] = { words = words, id = t.id, meaning = t.meaning, proper = proper or nil }
    end
    table.sort(list, function(a, b) return #a.words ~= #b.words and #a.words > #b.words or #a.words == #b.words and a.id < b.id end)
    for _, term in ipairs(list) do
        local first = term.words[1]:lower()
        by_first[first] = by_first[first] or {}
        table.insert(by_first[first], term)
    end
    return by_first
end

-- The inlines from the i-th on that are `term`: the last of them, and what stands before and behind the words.
local function matched(inlines, i, term)
    local at, before, behind = i, '', ''
    for n, word in ipairs(term.words) do
        local s = inlines[at]
        if not s or s.t ~= 'Str' then return end
        local text = s.text
        if n == 1 then before, text = text:match('^([(“]*)(.*)$') end
        if n == #term.words then
            text, behind = text:match('^(.-)([%.,;:)”]*)$')
            if text ~= term.proper and text:lower() ~= word then text = text:lower():gsub('s$', '') end
        end
        if text ~= term.proper and text:lower() ~= word then return end
        if n == #term.words then return at, before, behind end
        local gap = inlines[at + 1]
        if not gap or (gap.t ~= 'Space' and gap.t ~= 'SoftBreak') then return end
        at = at + 2
    end
end

-- A glossary's terms in running text lead to it, each once a page: those of `left` that have not been met yet.
function links.terms(page, inlines, left, target)
    local glossary = pages.by_key.glossary
    local out, i = pandoc.List(), 1
    if not next(left) then return inlines end
    -- A term that begins with the i-th inline: it, the last inline of it, what stands before and behind it.
    local function found(i)
        if inlines[i].t ~= 'Str' then return end
        local bare = inlines[i].text:lower():match('^[(“]*(.*)$')
        local core = bare:match('^(.-)[%.,;:)”]*$')
        for _, key in ipairs { bare, core ~= bare and core or '', core:match('^(.+)s$') or '' } do
            for _, term in ipairs(left[key] or {}) do
                if not term.met then
                    local last, before, behind = matched(inlines, i, term)
                    if last then return term, last, before, behind end
                end
            end
        end
    end
    while i <= #inlines do
        local term, last, before, behind = found(i)
        if term then
            term.met = true
            if before ~= '' then out:insert(pandoc.Str(before)) end
            local words = pandoc.List()
            for k = i, last do words:insert(inlines[k]) end
            words[1] = pandoc.Str(words[1].text:sub(#before + 1))
            local final = words[#words].text
            words[#words] = pandoc.Str(final:sub(1, #final - #behind))
            local link = links.link(page, words, glossary, term.id, target, 'term')
            link.title = term.meaning
            out:insert(link)
            if behind ~= '' then out:insert(pandoc.Str(behind)) end
            i = last + 1
        else
            out:insert(inlines[i])
            i = i + 1
        end
    end
    return out
end

-- A section's title in quotation marks leads to it, a source's (sources.tsv) to its address.
function links.quoted(page, q, target)
    local title = q.quotetype == 'DoubleQuote' and stringify(q.content)
    local id, address = title and pages.section(page, title), title and links.sources[title]
    if id or address then
        local words = pandoc.List { pandoc.Str('“') }
        words:extend(q.content)
        words:insert(pandoc.Str('”'))
        return { id and links.link(page, words, page, id, target) or pandoc.Link(words, address) }, false
    end
    return q, false     -- what is quoted is others' words, and no place for links
end

-- The sources that the book names, and where they are.
links.sources = {}
function links.read(path)
    for _, row in ipairs(source.table(path)) do links.sources[row[1]] = row[2] end
end

return links
