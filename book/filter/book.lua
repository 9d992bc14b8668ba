-- SPDX-License-Identifier: MIT
-- The book, from Markdown: a pandoc filter on an empty document. It writes the site's pages, the page to print and the
-- index of the search into BOOK (a folder), and leaves the EPUB's blocks to pandoc.
--
--   BOOK=build/book pandoc --lua-filter book/filter/book.lua … < /dev/null
--
-- What it reads: book/front/*.md, lessons/*/chapter.md, book/back/*.md, named in BOOK_FRONT, BOOK_LESSONS and
-- BOOK_BACK; BOOK/pictures/LESSON/N.svg (tools/figures --pictures); the tables that book/filter/tables.lua names.
package.path = PANDOC_SCRIPT_FILE:match('^(.*)/') .. '/?.lua;' .. package.path
local source = require 'source'
local pages = require 'pages'
local calls = require 'calls'
local cover = require 'cover'
local render = require 'render'
local search = require 'search'
local site = require 'site'
local tables = require 'tables'

local function words(name)
    local list = {}
    for word in (os.getenv(name) or ''):gmatch('%S+') do list[#list + 1] = word end
    return list
end

function Pandoc(doc)
    local folder = os.getenv('BOOK')
    render.folder = folder
    pages.read(words('BOOK_FRONT'), words('BOOK_LESSONS'), words('BOOK_BACK'))
    calls.read('book/calls.tsv')
    for _, entry in ipairs(calls.list) do pages.by_key.calls.ids[entry.name] = true end
    render.call, render.generators = calls.of, tables

    local template, scripts = source.read('book/templates/page.html'), {}
    for _, path in ipairs(words('BOOK_EXPLORE')) do
        scripts[#scripts + 1] = ('<script src="%s" defer></script>'):format(path:match('[^/]+$'))
    end
    local function meta(name) return pandoc.utils.stringify(doc.meta[name]) end
    local version = 'Version ' .. os.getenv('BOOK_VERSION')
    local edition, author = version .. ', with figures measured in November 2026', meta('author')
    local imprint = ('%s, %s. %s.'):format(version, source.day(meta('date')), meta('rights'))
    cover.write(folder .. '/cover.svg', meta('title'), meta('subtitle'), author, edition)

    local printed, blocks = {}, pandoc.List()
    for _, page in ipairs(pages.list) do
        source.write(folder .. '/site/' .. page.key .. '.html',
                     site.page(template, page, render.html(page, 'page'), table.concat(scripts, '\n'), imprint))
        printed[page.key] = render.html(page, 'print')
        local title = page.label and pandoc.List { pandoc.Str(page.label), pandoc.Space() } or pandoc.List()
        title:extend(page.heading)
        blocks:insert(pandoc.Header(1, title, pandoc.Attr('p-' .. page.key)))
        blocks:extend(render.blocks(page, 'epub'))
    end
    source.write(folder .. '/site/print.html', site.print(source.read('book/templates/print.html'), printed, author, edition))

    local extra = { calls = {} }
    for _, entry in ipairs(calls.list) do
        table.insert(extra.calls, { id = entry.name, title = entry.name, text = entry.orders and
            ('Returns: %s. Orders: %s.'):format(entry.returns, entry.orders) or '' })
    end
    search.write(folder .. '/site/search.js', extra)
    doc.meta.rights = version .. '. ' .. meta('rights')      -- on the title page of the EPUB, below the date
    return pandoc.Pandoc(blocks, doc.meta)
end
