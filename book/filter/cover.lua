-- SPDX-License-Identifier: MIT
-- What the book is known by: a pipeline as a timeline draws it, four streams and the engines that work for them, drawn
-- for the first page and, with the title, for the cover.
local source = require 'source'

local cover = {}

local kinds = { { fill = '#1f5fa8', hatch = 'M-1 1l2-2M0 6l6-6M5 7l2-2' }, { fill = '#f0b23e' },
                { fill = '#2c7a50', hatch = 'M-1 5l2 2M0 0l6 6M5-1l2 2' } }

-- Seven chunks in four streams, 700 wide and 216 high: copy in, kernel, copy out, each engine with one thing at a time.
local function bars(out)
    local function bar(kind, x, y, w)
        table.insert(out, ('<rect class="motif-%d" x="%s" y="%d" width="%s" height="22"/>'):format(kind, x, y, w - 3))
    end
    local W = 78
    for k = 0, 6 do
        for kind = 1, 3 do
            local x = (k + kind - 1) * W
            bar(kind, x, k % 4 * 28, W)
            bar(kind, x, 132 + (kind - 1) * 28, W)
        end
    end
end

-- `flat`: no hatching, for a printer that draws patterns badly.
local function style(out, id, flat)
    table.insert(out, '<defs>')
    for kind, k in ipairs(kinds) do
        if k.hatch and not flat then
            table.insert(out, ('<pattern id="%s-%d" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 0h6v6H0z" fill="%s"/>'
                .. '<path d="%s" fill="none" stroke="#fff" stroke-opacity=".35"/></pattern>'):format(id, kind, k.fill, k.hatch))
        end
    end
    table.insert(out, '</defs><style>')
    for kind, k in ipairs(kinds) do
        table.insert(out, ('.motif-%d{fill:%s}'):format(kind, k.hatch and not flat and ('url(#%s-%d)'):format(id, kind) or k.fill))
    end
    table.insert(out, '</style>')
end

-- Alone: for a page that has the title in words. It says nothing that the page does not.
function cover.motif(id, flat)
    local out = { '<svg xmlns="http://www.w3.org/2000/svg" class="motif" width="700" height="210" viewBox="0 0 700 210" aria-hidden="true">' }
    style(out, id, flat)
    bars(out)
    table.insert(out, '</svg>')
    return table.concat(out, '\n')
end

-- The title in lines of at most so many letters.
local function lines_of(text, most)
    local lines = { '' }
    for word in text:gmatch('%S+') do
        local line = lines[#lines]
        if line ~= '' and #line + #word + 1 > most then lines[#lines + 1] = word
        else lines[#lines] = line == '' and word or line .. ' ' .. word end
    end
    return lines
end

-- A cover, 800 by 1200, as a file of its own.
function cover.write(path, title, subtitle, author, edition)
    local out = { '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="1200" viewBox="0 0 800 1200" font-family="DejaVu Sans, Verdana, sans-serif">',
                  '<rect width="800" height="1200" fill="#fdfcf9"/>', '<rect width="800" height="18" fill="#9c4b16"/>' }
    style(out, 'cover')
    for i, line in ipairs(lines_of(title, 16)) do
        table.insert(out, ('<text x="64" y="%d" font-size="63" font-weight="bold" fill="#22262c">%s</text>'):format(100 + 82 * i, source.escape(line)))
    end
    table.insert(out, ('<text x="66" y="440" font-size="25" fill="#565d68">%s</text>'):format(source.escape(subtitle)))
    table.insert(out, '<g transform="translate(66 590) scale(.95 1.5)">')
    bars(out)
    table.insert(out, ('</g><text x="66" y="1090" font-size="22" fill="#22262c">%s</text>'):format(source.escape(author)))
    table.insert(out, ('<text x="66" y="1130" font-size="19" fill="#565d68">%s</text></svg>'):format(source.escape(edition)))
    source.write(path, table.concat(out, '\n') .. '\n')
end

return cover
