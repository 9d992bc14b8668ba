-- SPDX-License-Identifier: MIT
-- What is generated from the tree: ```{.generated name="…"}.
local source = require 'source'
local pages = require 'pages'
local calls = require 'calls'
local links = require 'links'
local render = require 'render'
local subjects = require 'subjects'
local escape = source.escape

local tables = {}

local function html(text) return pandoc.RawBlock('html', text) end

local function row(cells, tag)
    return '<tr><' .. tag .. '>' .. table.concat(cells, '</' .. tag .. '><' .. tag .. '>') .. '</' .. tag .. '></tr>'
end

-- rows of HTML; the first is the head. `class`: of the table.
local function tabulate(rows, class)
    local out = { '<div class="table"><table' .. (class and ' class="' .. class .. '"' or '') .. '><thead>', row(rows[1], 'th'),
                  '</thead><tbody>' }
    for i = 2, #rows do table.insert(out, row(rows[i], 'td')) end
    table.insert(out, '</tbody></table></div>')
    return html(table.concat(out, '\n'))
end

-- facts/h200.json, in its own order.
function tables.facts()
    local path = 'facts/h200.json'
    local text = source.read(path)
    local rows = { { 'key', 'value', 'where it is from' } }
    for key, value in text:match('"values":%s*{(.*)'):gmatch('"([%w_]+)": (%b{})') do
        local number = value:match('"value": ([-%d.]+)')
        if number then
            local unit, from = value:match('"unit": "([^"]*)"'), value:match('"source": "(.-)"}')
            rows[#rows + 1] = { '<code>' .. key .. '</code>', number .. (unit and '&#160;' .. escape(unit) or ''),
                                escape(from:gsub('\\"', '"')) }
        end
    end
    local _, expected = text:gsub('"value":', '')
    if expected ~= #rows - 1 then source.stop('%s: %d values, %d read', path, expected, #rows - 1) end
    return tabulate(rows, 'facts')
end

-- facts/published.txt beside what the model gives: build/book/ours.txt, made by tests/model/published.
function tables.published()
    local ours = {}
    for _, line in ipairs(source.lines(source.read(render.folder .. '/ours.txt'))) do
        local card, sequential, depth, breadth = line:match('^(%S+)%s+(%S+)%s+(%S+)%s+(%S+)')
        if card then ours[card] = { sequential, depth, breadth } end
    end
    local rows = { { 'card', 'ms', 'in one piece', 'V1, depth first', 'V2, breadth first', 'source' } }
    for _, line in ipairs(source.lines(source.read('facts/published.txt'))) do
        local card, s, d, b, from = line:match('^(%w+)%s+(%S+)%s+(%S+)%s+(%S+)%s+(.*)$')
        if card then
            local o = ours[card] or source.stop('the model has no times for %s', card)
            rows[#rows + 1] = { '<b>' .. card .. '</b>', from:match('^measured') and 'measured' or 'published', s, d, b, escape(from) }
            rows[#rows + 1] = { '', 'ours', o[1], o[2], o[3], '' }
        end
    end
    return tabulate(rows, 'numbers')
end

function tables.calls(page, target)
    return html(calls.html(function(id) return links.id(page, id, target) end,
                           function(to, id) return links.address(page, to, id, target) end))
end

function tables.subjects(page, target)
    return html(subjects.html(function(id) return links.id(page, id, target) end,
                              function(to, id) return links.address(page, to, id, target) end))
end

-- What needs what; a lesson that does not say stands behind the one before it.
local function needs()
    local of, before = {}, nil
    for _, p in ipairs(pages.list) do
        if p.label then
            of[p.label] = p.needs or { before }
            for _, number in ipairs(of[p.label]) do
                if not pages.lesson(number) then source.stop('%s: it needs %s, and there is no such lesson', p.path, number) end
            end
            before = p.label
        end
    end
    return of
end

-- A title that is long, cut near its middle.
local function two_lines(title)
    if #title <= 20 then return { title } end
    local best
    for at in title:gmatch('() ') do
        if not best or math.abs(at - #title / 2) < math.abs(best - #title / 2) then best = at end
    end
    return { title:sub(1, best - 1), title:sub(best + 1) }
end

function tables.map(page, target)
    local of = needs()
    local depth, rows, most = {}, {}, 1
    for _, p in ipairs(pages.list) do
        if p.label then
            local n = p.label
            depth[n] = 1
            for _, before in ipairs(of[n]) do depth[n] = math.max(depth[n], depth[before] + 1) end
            rows[depth[n]] = rows[depth[n]] or {}
            table.insert(rows[depth[n]], p)
        end
    end
    for _, r in ipairs(rows) do most = math.max(most, #r) end
    local W, H, gap, down = 140, 68, 12, 44
    local width = most * (W + gap) - gap + 2
    local at, out = {}, {}
    for level, r in ipairs(rows) do
        local below = {}        -- in a row, by the middle of what stands above
        for i, p in ipairs(r) do
            local sum = 0
            for _, before in ipairs(of[p.label]) do sum = sum + at[before].x end
            below[p] = { sum / math.max(1, #of[p.label]), i }
        end
        table.sort(r, function(a, b)
            local x, y = below[a], below[b]
            if x[1] ~= y[1] then return x[1] < y[1] end
            return x[2] < y[2]
        end)
        local left = math.floor((width - #r * (W + gap) + gap) / 2)
        r.left, r.y = left, 1 + (level - 1) * (H + down)
        for i, p in ipairs(r) do at[p.label] = { x = left + (i - 1) * (W + gap), y = r.y } end
    end
    -- Another lesson that `lesson` needs needs `before` itself: no arrow.
    local function implied(before, lesson)
        for _, other in ipairs(of[lesson]) do
            if other ~= before then
                for _, n in ipairs(of[other]) do if n == before or implied(before, other) then return true end end
            end
        end
        return false
    end
    local function number(n) return (('%.1f'):format(n):gsub('%.0$', '')) end
    -- From a box down to another; between the boxes of the rows between them.
    local function way(a, b, from, to)
        local x, y = a.x + W / 2, a.y + H
        local path = { ('M%s %s'):format(number(x), number(y)) }
        local function curve(next_x)
            table.insert(path, ('C%s %s %s %s %s %s'):format(number(x), number(y + down * .6), number(next_x), number(y + down * .4),
                number(next_x), number(y + down)))
            x, y = next_x, y + down
        end
        for level = from + 1, to - 1 do
            local r, nearest = rows[level], nil
            for i = 0, #r do
                local between = r.left - gap / 2 + i * (W + gap)
                local off = math.abs(between - x) + math.abs(between - b.x - W / 2) / 1000
                if not nearest or off < nearest.off then nearest = { x = between, off = off } end
            end
            curve(nearest.x)
            y = y + H
            table.insert(path, 'V' .. number(y))
        end
        curve(b.x + W / 2)
        return table.concat(path)
    end
    for _, p in ipairs(pages.list) do
        for _, before in ipairs(p.label and of[p.label] or {}) do
            local a, b = at[before], at[p.label]
            if not implied(before, p.label) then
                table.insert(out, ('<path class="arrow" d="%sm-4 -7l4 7l4 -7"/>'):format(way(a, b, depth[before], depth[p.label])))
            end
        end
    end
    for _, p in ipairs(pages.list) do
        if p.label then
            local a = at[p.label]
            local lines = two_lines(p.title:gsub(':.*', ''))
            for i, line in ipairs(lines) do
                lines[i] = ('<text x="%s" y="%d">%s</text>'):format(number(a.x + W / 2), a.y + (#lines == 1 and 44 or 22 + 17 * i), escape(line))
            end
            table.insert(out, ('<a href="%s"><title>Lesson %s</title><rect x="%s" y="%s" width="%d" height="%d" rx="6"/><text class="number" x="%s" y="%s">%s</text>%s</a>'):format(
                links.address(page, p, nil, target), p.label, number(a.x), number(a.y), W, H, number(a.x + W / 2), number(a.y + 22), p.label,
                table.concat(lines)))
        end
    end
    local height = #rows * (H + down) - down + 2
    local list = {}
    for _, p in ipairs(pages.list) do
        if p.label and #of[p.label] > 0 then list[#list + 1] = p.label .. ' needs ' .. table.concat(of[p.label], ' and ') end
    end
    return html(('<figure class="timeline"><div class="scroll"><svg xmlns="http://www.w3.org/2000/svg" class="drawing map" width="%d" height="%d" '
        .. 'viewBox="0 0 %d %d"><title>The lessons and what each needs: %s.</title>'
        .. '<style>.map{color:#1c2128}.map text{font-size:12px;font-family:system-ui,DejaVu Sans,sans-serif;text-anchor:middle;fill:currentColor}'
        .. '.map .number{font-weight:600}'
        .. '.map rect{fill:#eef2f7;stroke:#5f6b7a}.map .arrow{fill:none;stroke:#5f6b7a;stroke-width:1.5px}</style>\n%s\n</svg></div></figure>'):format(
        math.tointeger(width), height, math.tointeger(width), height, table.concat(list, '; '), table.concat(out, '\n')))
end

function tables.lessons(page, target)
    local of = needs()
    local rows = { { 'lesson', 'you will be able to', 'needs' } }
    for _, p in ipairs(pages.list) do
        if p.label then
            local before = {}
            for _, n in ipairs(of[p.label] or {}) do
                before[#before + 1] = ('<a href="%s">%s</a>'):format(links.address(page, pages.lesson(n), nil, target), n)
            end
            rows[#rows + 1] = { ('<a href="%s">%s %s</a>'):format(links.address(page, p, nil, target), p.label, escape(p.title)),
                                escape(p.able or ''), table.concat(before, ', ') }
        end
    end
    return tabulate(rows)
end

return tables
