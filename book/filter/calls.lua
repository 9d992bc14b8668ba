-- SPDX-License-Identifier: MIT
-- The index of calls: where each call of the runtime (cuda…) and of the driver API (cu…) occurs in the lessons, and from
-- calls.tsv what it orders.
local source = require 'source'
local pages = require 'pages'
local stringify = pandoc.utils.stringify

local calls = { list = {}, by_name = {} }
local CALL = 'cu%l*%u%w*'

-- The functions of the headers that programs are compiled with. Those that kernels call are named by macros.
local function functions()
    local is, include = {}, 'common/sim/include/'
    for _, header in ipairs { 'cuda_runtime_api.h', 'cuda_runtime.h', 'graph_types.h', 'detail/sim_green.h' } do
        local text = source.read(include .. header):gsub('#define[^\n]*', '')
        for name in text:gmatch('(' .. CALL .. ')%s*%(') do is[name] = true end
    end
    for name in source.read(include .. 'detail/sim_device_runtime.h'):gmatch('#define (' .. CALL .. ') sim_') do is[name] = true end
    return is
end

-- The call that a piece of code begins with, if it is one: "cudaFree(p)" too.
function calls.of(text)
    local name = text:match('^' .. CALL)
    return name and calls.by_name[name] and name
end

-- What the chapters' own tables of calls say: name -> { lesson, returns, orders }. Where a call has several rows, each
-- begins with what else stands in its first cell.
local function from_chapters()
    local rows = {}
    for _, page in ipairs(pages.list) do
        local seen = {}
        page.blocks:walk { Table = function(t)
            local simple = pandoc.utils.to_simple_table(t)
            local column = {}
            for i, head in ipairs(simple.header) do column[stringify(head)] = i end
            local returns, orders = column['when it returns'] or column['when it comes back'], column['what it orders']
            if page.part ~= 'lesson' or not column['call'] or not returns or not orders then return end
            local above = {}
            for _, cells in ipairs(simple.rows) do
                local function cell(i)
                    local text = stringify(cells[i])
                    if above[i] then text = text:gsub('^the same', (above[i]:gsub('%%', '%%%%'))) end
                    above[i] = text
                    return text
                end
                local said = { cell(returns), cell(orders) }
                local other = stringify(pandoc.Pandoc(cells[1]):walk { Code = function() return {} end }):gsub('^[%s,]+', '')
                pandoc.Blocks(cells[1]):walk { Code = function(c)
                    local name = c.text:match('^' .. CALL)
                    if not name or (rows[name] and not seen[name]) then return end
                    if not seen[name] then
                        rows[name], seen[name] = { name, page.label, said[1], said[2] }, other
                    else
                        local row = rows[name]
                        row[3], row[4] = row[3] .. '; ' .. other .. ': ' .. said[1], row[4] .. '; ' .. other .. ': ' .. said[2]
                    end
                end }
            end
        end }
    end
    return rows
end

-- `path`: what the chapters' tables do not say, or say in pieces: it goes before them.
function calls.read(path)
    local is, rows = functions(), from_chapters()
    for _, row in ipairs(source.table(path)) do
        if not is[row[1]] then source.stop('%s: the runtime has no %s', path, row[1]) end
        rows[row[1]] = row
    end
    local function note(name, page, section)
        if not is[name] then return end
        local entry = calls.by_name[name]
        if not entry then
            local row = rows[name]
            entry = { name = name, places = {}, lesson = row and row[2], returns = row and row[3], orders = row and row[4] }
            calls.by_name[name] = entry
            table.insert(calls.list, entry)
        end
        local place = entry.places[#entry.places]
        if not place or place.page ~= page then
            place = { page = page, sections = {}, count = 0 }
            table.insert(entry.places, place)
        end
        local last = place.sections[#place.sections]
        if section and (not last or last ~= section) then table.insert(place.sections, section) end
        place.count = place.count + 1
    end
    for _, page in ipairs(pages.list) do
        local section
        local function look(text) for name in text:gmatch(CALL) do note(name, page, section) end end
        if page.part == 'lesson' then
            page.blocks:walk {
                traverse = 'topdown',
                Header = function(h)
                    for _, s in ipairs(page.sections) do if s.id == h.identifier then section = s end end
                end,
                CodeBlock = function(b)
                    if b.classes[1] ~= 'message' and b.classes[1] ~= 'output' then look(b.text) end
                end,
                Code = function(c) look(c.text) end,
            }
        end
    end
    table.sort(calls.list, function(a, b) return a.name < b.name end)
end

-- As a list of definitions; what `address(page, id)` gives leads to the places.
function calls.html(anchor, address)
    local out = { '<dl class="calls">' }
    for _, entry in ipairs(calls.list) do
        table.insert(out, ('<dt id="%s"><code>%s</code></dt>'):format(anchor(entry.name), entry.name))
        if entry.orders then
            local text = source.escape(('%s. @ %s.'):format(entry.returns, entry.orders)):gsub(CALL, '<code>%0</code>')
            table.insert(out, '<dd><b>Returns:</b> ' .. text:gsub('@', '<b>Orders:</b>') .. '</dd>')
        end
        local where = {}
        for _, place in ipairs(entry.places) do
            local home = place.page.label == entry.lesson
            local main = place.sections[1]
            for _, section in ipairs(place.sections) do if home and section.title:match('[Cc]alls') then main = section end end
            local link = ('<a href="%s">%s</a>'):format(address(place.page, main and main.id),
                (home and 'lesson ' or '') .. place.page.label .. (home and main and ', “' .. source.escape(main.title) .. '”' or ''))
            table.insert(where, home and 1 or #where + 1, home and '<b>Taught in</b> ' .. link or link)
        end
        local taught = where[1]:match('Taught') and table.remove(where, 1)
        local also = #where > 0 and (taught and '; also in ' or 'In ') .. table.concat(where, ', ') or ''
        table.insert(out, '<dd>' .. (taught or '') .. also .. '.</dd>')
    end
    table.insert(out, '</dl>')
    return table.concat(out, '\n')
end

return calls
