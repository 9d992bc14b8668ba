-- SPDX-License-Identifier: MIT
-- The book, from Markdown: a pandoc filter on an empty document. With BOOK_MAKES=epub it makes the EPUB's blocks, which
-- pandoc writes; otherwise the site: its pages, the page to print and the index of the search, in BOOK/site (which is there, as is BOOK/cache).
--
--   BOOK=build/book pandoc --lua-filter book/filter/book.lua … < /dev/null
--
-- What it reads: book/front/*.md, lessons/*/chapter.md, book/back/*.md, named in BOOK_FRONT, BOOK_LESSONS and
-- BOOK_BACK; BOOK/pictures/LESSON/N.svg (tools/figures --pictures); the tables that book/filter/tables.lua names. Pages
-- of the site that need not change keep their time, and are not rendered again (cache.lua).
package.path = PANDOC_SCRIPT_FILE:match('^(.*)/') .. '/?.lua;' .. package.path
local source = require 'source'
local pages = require 'pages'
local cache = require 'cache'
local calls = require 'calls'
local cover = require 'cover'
local links = require 'links'
local render = require 'render'
local search = require 'search'
local site = require 'site'
local tables = require 'tables'

local function words(name)
    local list = {}
    for word in (os.getenv(name) or ''):gmatch('%S+') do list[#list + 1] = word end
    return list
end

-- The blocks of the EPUB, a chapter for each page.
local function epub_blocks()
    local blocks = pandoc.List()
    for _, page in ipairs(pages.list) do
        local title = page.label and pandoc.List { pandoc.Str(page.label), pandoc.Space() } or pandoc.List()
        title:extend(page.heading)
        blocks:insert(pandoc.Header(1, title, pandoc.Attr('p-' .. page.key)))
        blocks:extend(render.blocks(page, 'epub'))
    end
    return blocks
end

-- What a card took for the lines that chapters' programs print, as a script for the figures to play with.
local function measured(path)
    local programs, out = {}, {}
    for _, row in ipairs(source.table(path)) do
        if not programs[row[1]] then table.insert(out, row[1]) end
        programs[row[1]] = (programs[row[1]] or '') .. source.quote(row[2]) .. ','
    end
    for i, program in ipairs(out) do out[i] = ('%s:[%s]'):format(source.quote(program), programs[program]) end
    return 'window.bookMeasured = {\n' .. table.concat(out, ',\n') .. '\n};\n'
end

-- `said`: author, edition, imprint.
local function write_site(folder, said)
    local template, scripts, printed, whole, names = source.read('book/templates/page.html'), {}, {}, {}, {}
    for _, path in ipairs(words('BOOK_EXPLORE')) do
        scripts[#scripts + 1] = ('<script src="%s" defer></script>'):format(path:match('[^/]+$'))
    end
    scripts[#scripts + 1] = '<script src="measured.js" defer></script>'
    for _, page in ipairs(pages.list) do whole[#whole + 1] = page.text end
    whole = table.concat(whole, '\n')
    for _, page in ipairs(pages.list) do
        -- An index is made of all pages.
        local text = page.text:match('```{%.generated name="calls"') and whole or page.text:match('```{%.generated name="subjects"') and whole or page.text
        local function html(target) return cache.get(page, target, text, function() return render.html(page, target) end) end
        names[page.key .. '.html'] = site.page(template, page, html('page'), table.concat(scripts, '\n'), said.imprint)
        printed[page.key] = html('print')
    end
    names['print.html'] = site.print(source.read('book/templates/print.html'), printed, said)

    local extra = { calls = {} }
    for _, entry in ipairs(calls.list) do
        table.insert(extra.calls, { id = entry.name, title = entry.name, text = entry.orders and
            ('Returns: %s. Orders: %s.'):format(entry.returns, entry.orders) or '' })
    end
    names['search.js'], names['measured.js'] = search.index(extra), measured('facts/h200-chapters.tsv')
    for name, content in pairs(names) do source.update(folder .. '/site/' .. name, content) end
    local list, written = folder .. '/cache/pages', {}
    for name in (source.exists(list) and source.read(list) or ''):gmatch('%S+') do     -- of a chapter that has another name now
        if not names[name] then os.remove(folder .. '/site/' .. name) end
    end
    for name in pairs(names) do written[#written + 1] = name end
    source.write(list, table.concat(written, '\n'))
end

function Pandoc(doc)
    local folder = os.getenv('BOOK')
    render.folder = folder
    pages.read(words('BOOK_FRONT'), words('BOOK_LESSONS'), words('BOOK_BACK'))
    calls.read('book/calls.tsv')
    links.read('book/sources.tsv')
    for _, entry in ipairs(calls.list) do pages.by_key.calls.ids[entry.name] = true end
    render.call, render.generators = calls.of, tables

    local function meta(name) return pandoc.utils.stringify(doc.meta[name]) end
    local version = 'Version ' .. os.getenv('BOOK_VERSION')
    local edition, author = version .. ', with figures measured in November 2026', meta('author')
    if os.getenv('BOOK_MAKES') == 'epub' then
        cover.write(folder .. '/cover.svg', meta('title'), meta('subtitle'), author, edition)
        doc.meta.rights = version .. '. ' .. meta('rights')      -- on the title page of the EPUB, below the date
        return pandoc.Pandoc(epub_blocks(), doc.meta)
    end
    cache.open(folder .. '/cache', words('BOOK_FILTER'))
    write_site(folder, { author = author, edition = edition, imprint = ('%s, %s. %s.'):format(version, source.day(meta('date')), meta('rights')) })
    return pandoc.Pandoc({})
end
