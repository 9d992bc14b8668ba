-- SPDX-License-Identifier: MIT
-- Pages that were rendered before, in BOOK/cache: one is taken as it is if nothing that it was made of has changed. That is
-- its own text, the filter, what pages know of each other (`world`), and every file that was read while it was rendered.
local source = require 'source'
local pages = require 'pages'
local sha1 = pandoc.utils.sha1

local cache = { folder = nil, world = nil }

local function keys(set)
    local list = {}
    for key in pairs(set) do list[#list + 1] = key end
    table.sort(list)
    return table.concat(list, ' ')
end

-- `files`: the filter's and the tables' paths. What a page says in its paragraphs is nothing that another one knows.
function cache.open(folder, files)
    local parts = { tostring(PANDOC_VERSION) }
    for _, path in ipairs(files) do parts[#parts + 1] = source.read(path) end
    for _, p in ipairs(pages.list) do
        table.insert(parts, table.concat({ p.key, p.label or '', p.part, p.title, p.able or '', table.concat(p.needs or {}, ' '), keys(p.ids) }, '\t'))
        for _, s in ipairs(p.sections) do table.insert(parts, s.level .. s.id .. '\t' .. s.title) end
        for _, f in ipairs(p.figures) do table.insert(parts, f.id .. '\t' .. f.name) end
        for _, t in ipairs(p.terms) do table.insert(parts, t.id .. '\t' .. t.term .. '\t' .. t.meaning) end
    end
    cache.folder, cache.world = folder, sha1(table.concat(parts, '\n'))
end

local digests = {}
local function digest(path)
    digests[path] = digests[path] or sha1(source.read(path))
    return digests[path]
end

-- What `make()` gives for `page` and `target`, made anew only where it has to be. `text`: what else it is made of.
function cache.get(page, target, text, make)
    local path, key = ('%s/%s.%s'):format(cache.folder, page.key, target), sha1(cache.world .. '\n' .. text)
    if source.exists(path) then
        local before, files, html = source.read(path):match('^(%x+)\n(.-)\n\n(.*)$')
        local same = before == key
        for sum, file in (same and files or ''):gmatch('(%x+) ([^\n]+)') do
            same = same and source.exists(file) and digest(file) == sum
        end
        if same then return html end
    end
    source.log = {}
    local html = make()
    local lines = { key }
    for file in pairs(source.log) do lines[#lines + 1] = digest(file) .. ' ' .. file end
    source.log = nil
    source.write(path, table.concat(lines, '\n') .. '\n\n' .. html)
    return html
end

return cache
