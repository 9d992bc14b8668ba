-- SPDX-License-Identifier: MIT
-- Pages of the site: the template filled in, contents at the side, the way back and on.
local source = require 'source'
local pages = require 'pages'
local cover = require 'cover'

local site = {}

-- $name$ in the template; a name that nobody gives stops the build.
local function fill(template, values)
    return (template:gsub('%$([%w_]+)%$', function(name)
        return values[name] or source.stop('the template wants a %s', name)
    end))
end
site.fill = fill

function site.title(page)
    return (page.label and '<span class="number">' .. page.label .. '</span> ' or '') .. source.escape(page.title)
end

local parts = { { 'front', 'Before you begin' }, { 'lesson', 'Lessons' }, { 'neighbours', 'Neighbours' }, { 'back', 'At the back' } }

-- The contents with the place of `here` open.
function site.contents(here)
    local out = {}
    for _, part in ipairs(parts) do
        table.insert(out, ('<h2>%s</h2>\n<ol>'):format(part[2]))
        for _, page in ipairs(pages.list) do
            if page.part == part[1] then
                local current = page == here and ' aria-current="page"' or ''
                table.insert(out, ('<li><a href="%s.html"%s>%s</a>'):format(page.key, current, site.title(page)))
                if page == here then
                    local open = {}
                    for _, s in ipairs(page.sections) do
                        if s.level == 2 then
                            table.insert(open, ('<li><a href="#%s">%s</a></li>'):format(s.id, source.escape(s.title)))
                        end
                    end
                    if #open > 0 then table.insert(out, '<ol class="sections">' .. table.concat(open, '\n') .. '</ol>') end
                end
                table.insert(out, '</li>')
            end
        end
        table.insert(out, '</ol>')
    end
    return table.concat(out, '\n')
end

local function way(page, rel, word)
    if not page then return '' end
    return ('<a class="%s" rel="%s" href="%s.html"><small>%s</small> %s</a>'):format(rel, rel, page.key, word, site.title(page))
end

-- What the first page begins with.
function site.front(imprint)
    return '<div class="front">' .. cover.motif('motif') .. '<p class="subtitle">Asynchronous execution in CUDA, by doing</p>' ..
        '<p class="imprint">' .. source.escape(imprint) .. '</p></div>\n'
end

-- `explore`: tags of the scripts that figures to play with need; only where there is such a figure. `imprint`: version, date, licence.
function site.page(template, page, body, explore, imprint)
    return fill(template, {
        title = source.escape((page.label and page.label .. ' ' or '') .. page.title),
        heading = site.title(page),
        key = page.key,
        part = page.part,
        body = body,
        front = page.number == 1 and site.front(imprint) or '',
        contents = site.contents(page),
        previous = way(pages.list[page.number - 1], 'prev', 'Back'),
        next = way(pages.list[page.number + 1], 'next', 'On'),
        imprint = source.escape(imprint),
        explore = body:find('data-explore=', 1, true) and explore or '',
    })
end

-- All pages on one, with contents that printing adds page numbers to.
-- `said`: author and edition.
function site.print(template, bodies, said)
    local contents, body = {}, {}
    for _, part in ipairs(parts) do
        table.insert(contents, '<li class="part">' .. part[2] .. '<ol>')
        for _, page in ipairs(pages.list) do
            if page.part == part[1] then
                table.insert(contents, ('<li><a href="#p-%s">%s</a>'):format(page.key, site.title(page)))
                local inner = {}
                for _, s in ipairs(page.sections) do
                    if s.level == 2 and page.part == 'lesson' then
                        table.insert(inner, ('<li><a href="#p-%s--%s">%s</a></li>'):format(page.key, s.id, source.escape(s.title)))
                    end
                end
                if #inner > 0 then table.insert(contents, '<ol>' .. table.concat(inner, '\n') .. '</ol>') end
                table.insert(contents, '</li>')
                table.insert(body, ('<section class="chapter %s" data-page="%s"><h1 id="p-%s">%s</h1>\n%s</section>'):format(
                    page.part, page.key, page.key, site.title(page), bodies[page.key]))
            end
        end
        table.insert(contents, '</ol></li>')
    end
    return fill(template, { contents = '<ol>' .. table.concat(contents, '\n') .. '</ol>', body = table.concat(body, '\n'),
                              author = source.escape(said.author), edition = source.escape(said.edition), motif = cover.motif('motif', true) })
end

return site
