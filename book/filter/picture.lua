-- SPDX-License-Identifier: MIT
-- Timelines and other pictures, inline. A picture's ids are its own; a page's light or dark is the page's affair, so the
-- picture's own answer to that is taken out where there is a page.
local source = require 'source'

local picture = {}

-- "a simulated NVIDIA H200", "two simulated NVIDIA H200": a card may be like another one, and several in one machine.
local counts = { 'a', 'two', 'three', 'four' }
local function simulated(name)
    local text = '\n' .. source.read('common/model/cards/' .. name .. '.card')
    local like, devices = text:match('\nlike (%S+)'), tonumber(text:match('\ndevices +(%d+)')) or 1
    local title = text:match('\ntitle ([^\n#]*[^\n# ])')
    if not title and like then title = simulated(like):match('simulated (.*)') end
    return (counts[devices] or tostring(devices)) .. ' simulated ' .. (title or name)
end

-- What stands under a timeline: what the chapter says of it (Markdown), or its label; then the program and the card.
function picture.caption(attributes)
    local said = attributes.caption and pandoc.write(pandoc.read(attributes.caption), 'html5'):gsub('^<p>(.*)</p>%s*$', '%1')
        or attributes.label and '“' .. source.escape(attributes.label) .. '”' or 'A run.'
    local part = attributes.part and ', part ' .. source.escape(attributes.part) or ''
    return said, '<code>' .. source.escape(attributes.program:match('[^/]+$')) .. '</code>' .. part .. ', on '
        .. source.escape(simulated(attributes.card))
end

-- Where the tiles of a pattern meet, WeasyPrint leaves a white seam, which spoils what is written on it. So a bar has its
-- colour from a rectangle of its own, and the tiles have their lines alone.
local function on_paper(svg)
    local colours = {}
    svg = svg:gsub('(<pattern id="[^"]-%-(%w+)"[^>]*>)<path d="M0 0h6v6H0z" fill="(#%x+)"/>', function(head, kind, colour)
        colours[kind] = colour
        return head
    end)
    return (svg:gsub('(<g class="(%w+)">)(.-)(</g>)', function(head, kind, body, tail)
        if not colours[kind] then return end
        return head .. body:gsub('<rect ([^>]*)/>', '<rect %1 style="fill:' .. colours[kind] .. '"/><rect %1/>') .. tail
    end))
end

-- The SVG in `path` under the id `id`, for `target` (page, print or epub), called `title` by those who cannot see it.
function picture.svg(path, id, target, title)
    local svg = source.read(path)
    local old = svg:match('^<svg[^>]- class="(t%x+)"')
    if old then
        svg = svg:gsub(old, id)
        svg = svg:gsub('(<title id="[^"]*">)[^<]*', '%1' .. title:gsub('%%', '%%%%'), 1)
    end
    svg = svg:gsub('(%d) us%f[%W]', '%1 µs')        -- the engine writes ASCII
    if target ~= 'epub' then
        svg = svg:gsub('@media %(prefers%-color%-scheme:dark%)%b{}\n?', '')
    end
    if target == 'print' then      -- WeasyPrint knows no font shorthand in a picture, and paints a text's outline over it
        local size = svg:match('font:(%d+px)') or '11px'
        svg = svg:gsub(' text{', ' text{font-size:' .. size .. ';font-family:DejaVu Sans,sans-serif;', 1)
        svg = svg:gsub('stroke%-width:3px;stroke%-linejoin:round;paint%-order:stroke', '')
        svg = svg:gsub('( text{fill:#%x+);stroke:#%x+}', '%1}')
        svg = on_paper(svg:gsub('stroke%-opacity="%.45"', 'stroke-opacity=".2"'))
    end
    svg = svg:gsub('<!%-%-.-%-%->%s*', ''):gsub('^(<svg[^>]- class=")', '%1drawing ', 1)
    if not svg:match('^<svg[^>]- height=') then     -- its size, where there is no room to grow into
        local w, h = svg:match('viewBox="0 0 (%d+) (%d+)"')
        svg = svg:gsub('^<svg', ('<svg width="%s" height="%s"'):format(w, h), 1)
    end
    return svg
end

-- A numbered figure. `explore`: the name of the figure to play with that may take its place on a page.
function picture.figure(f, svg, target)
    local explore = f.explore and target == 'page' and ' data-explore="' .. source.escape(f.explore) .. '"' or ''
    return '<figure class="timeline" id="' .. f.id .. '"' .. explore .. '>\n<div class="scroll">' .. svg .. '</div>\n'
        .. '<figcaption><span class="number">' .. f.name .. '.</span> ' .. f.caption
        .. (f.from and ' <span class="from">' .. f.from .. '</span>' or '') .. '</figcaption>\n</figure>'
end

return picture
