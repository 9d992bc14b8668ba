-- SPDX-License-Identifier: MIT
-- The index of the search: the text of each section of each page, what the book says in place of other words (near.tsv), and
-- where a word of the glossary is taught, as a script that a page can load from a file.
local source = require 'source'
local pages = require 'pages'
local stringify = pandoc.utils.stringify

local search = {}

local function text_of(block)
    local parts = {}
    pandoc.Blocks { block }:walk {
        traverse = 'topdown',
        CodeBlock = function(b)
            if b.classes[1] ~= 'timeline' and b.classes[1] ~= 'generated' then parts[#parts + 1] = b.text end
        end,
        Para = function(p) parts[#parts + 1] = stringify(p) end,
        Plain = function(p) parts[#parts + 1] = stringify(p) end,
    }
    if block.t == 'DefinitionList' then
        parts = {}
        for _, item in ipairs(block.content) do
            parts[#parts + 1] = stringify(item[1]) .. ': ' .. stringify(item[2][1])
        end
    end
    return table.concat(parts, ' ')
end

-- `extra`: page key -> list of { id, title, text } that no block says.
function search.index(extra)
    local out = { 'window.bookIndex = [' }
    local function add(page, id, title, texts)
        local text = table.concat(texts, ' '):gsub('%s+', ' ')
        table.insert(out, ('[%s,%s,%s,%s,%s],'):format(source.quote(page.key), source.quote(id or ''),
            source.quote((page.label and page.label .. ' ' or '') .. page.title), source.quote(title or ''), source.quote(text)))
    end
    for _, page in ipairs(pages.list) do
        local id, title, texts = nil, nil, {}
        for _, block in ipairs(page.blocks) do
            if block.t == 'Header' then
                add(page, id, title, texts)
                id, title, texts = block.identifier, stringify(block.content), {}
            else
                texts[#texts + 1] = text_of(block)
            end
        end
        add(page, id, title, texts)
        for _, entry in ipairs(extra[page.key] or {}) do add(page, entry.id, entry.title, { entry.text }) end
    end
    table.insert(out, '];\nwindow.bookNear = {')
    for _, row in ipairs(source.table('book/near.tsv')) do
        table.insert(out, ('%s:%s,'):format(source.quote(row[1]), source.quote(row[2])))
    end
    table.insert(out, '};\nwindow.bookTaught = {')
    for _, term in ipairs(pages.by_key.glossary.terms) do
        local page, id = pages.taught(term)
        if page then table.insert(out, ('%s:[%s,%s],'):format(source.quote(term.term:lower()), source.quote(page.key), source.quote(id or ''))) end
    end
    table.insert(out, '};\n')
    return table.concat(out, '\n')
end

return search
