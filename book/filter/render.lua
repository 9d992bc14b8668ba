-- SPDX-License-Identifier: MIT
-- A page's blocks as they stand in one of the three books: `page` (the site, a file for each), `print` (all on one
-- page, and the PDF) and `epub`. In the last two all ids share one space: a page's begin with its own.
local source = require 'source'
local code = require 'code'
local picture = require 'picture'
local pages = require 'pages'
local links = require 'links'
local stringify = pandoc.utils.stringify

local render = {}

-- What generates the contents of a block ```{.generated name="…"}: name -> function(target) that returns blocks.
render.generators = {}

-- The marks of drawings in a terminal, as the colour that they have here.
local marks = {
    ['↓'] = 'queue', ['~'] = 'wait', ['▓'] = 'work', ['█'] = 'kernel', ['»'] = 'h2d', ['«'] = 'd2h', ['▒'] = 'memset',
    ['•'] = 'record', ['◦'] = 'streamwait', ['⇤'] = 'pagesout', ['⇥'] = 'pagesin',
}

-- > [!NOTE] is a callout, as other sites that show the chapters have it.
local callouts = { NOTE = 'Note', TIP = 'Tip', IMPORTANT = 'Important', WARNING = 'Warning', CAUTION = 'Caution' }
local function callout(quote)
    local first = quote.content[1]
    local word = first and first.t == 'Para' and first.content[1].t == 'Str' and first.content[1].text:match('^%[!(%u+)%]$')
    if not word then return end
    if not callouts[word] then source.stop('there is no callout [!%s]', word) end
    first.content:remove(1)
    if first.content[1] and first.content[1].t == 'SoftBreak' then first.content:remove(1) end
    local title = pandoc.Para { pandoc.Strong { pandoc.Str(callouts[word]) } }
    return pandoc.Div({ title, table.unpack(quote.content) }, pandoc.Attr('', { 'callout', word:lower() }))
end

-- On paper the answer is overleaf, and what is left of the question's page is there to draw on. A question that has a
-- picture or a listing may begin at the foot of a page.
local function with_room(blocks)
    local out, question = pandoc.Blocks {}, nil
    for _, block in ipairs(blocks) do
        if block.t == 'Header' and block.classes:includes('predict') then question = block end
        local figure = block.t == 'RawBlock' and block.text:match('^<figure class="(%a+)')
        if question and (figure == 'timeline' or figure == 'listing') and not question.classes:includes('long') then question.classes:insert('long') end
        if block.t == 'Header' and block.classes:includes('answer') then
            question = nil
            out:insert(pandoc.RawBlock('html', '<div class="room"><p>Draw it here, and decide, before you turn the page.</p></div>'))
        end
        out:insert(block)
    end
    return out
end

-- On paper a short paragraph in front of a listing, a picture or a message stays on its page.
local function keep_with_next(blocks)
    local out = pandoc.Blocks {}
    for i, block in ipairs(blocks) do
        local following = blocks[i + 1]
        local leads = block.t == 'Para' and following and following.t == 'RawBlock' and following.text:match('^<figure')
            and utf8.len(stringify(block)) < 240
        out:insert(leads and pandoc.Div({ block }, pandoc.Attr('', { 'lead' })) or block)
    end
    return out
end

-- In a column a long name is broken before a capital letter and behind a bracket. (WeasyPrint knows no <wbr>.)
local function humps(target)
    local open, between, close = '<code>', '<wbr/>', '</code>'
    if target == 'print' then open, between, close = '<code class="humps"><span>', '</span><span>', '</span></code>' end
    return function(c)
        if #c.text <= 20 then return end
        local parts = source.escape(c.text):gsub('(%l)(%u)', '%1' .. between .. '%2'):gsub('%(([^)])', '(' .. between .. '%1')
        return pandoc.RawInline('html', open .. parts .. close)
    end
end

-- The blocks of `page` for `target`.
function render.blocks(page, target)
    local used, linked, terms = 0, {}, links.terms_of(page)
    local function next_figure()
        used = used + 1
        return page.figures[used]
    end
    local function html(text) return pandoc.RawBlock('html', text) end

    local function code_block(b)
        local class, a = b.classes[1], b.attributes
        if class == 'listing' then
            return html(code.listing(a.file, a.name, b.text, target == 'page'))
        elseif class == 'output' then
            return html(code.output(a, b.text))
        elseif class == 'message' then
            return html(code.message(a.wrong, b.text, function(title, lesson)
                local to = pages.by_key[lesson]
                local id = to and pages.section(to, title)
                if not id then source.stop('%s: a message sends its reader to "%s" in %s', page.path, title, lesson) end
                return links.address(page, to, id, target)
            end))
        elseif class == 'timeline' then
            local f = next_figure()
            local caption, from = picture.caption(a)
            local id = links.id(page, f.id, target)
            local path = ('%s/pictures/%s/%d.svg'):format(render.folder, page.key, f.pictured)
            local title = ('%s: %s'):format(f.name, caption:gsub('<[^>]*>', ''))
            local svg = picture.svg(path, 't-' .. page.key .. '-' .. f.pictured, target, title)
            return html(picture.figure({ id = id, name = f.name, caption = caption, from = from, explore = a.explore }, svg, target))
        elseif class == 'generated' then
            local make = render.generators[a.name]
            if not make then source.stop('%s: nothing generates "%s"', page.path, a.name) end
            return make(page, target, a)
        elseif class == 'c' or class == 'cuda' then
            return html(code.snippet(b.text))
        end
        return html(code.plain(b.text))
    end

    local function image(p)
        if #p.content ~= 1 or p.content[1].t ~= 'Image' then return end
        local f, i = next_figure(), p.content[1]
        local path = (page.path:match('^(.*)/') .. '/' .. i.src):gsub('^[^/]+/[^/]+/%.%./%.%./', '')
        local svg = picture.svg(path, '', target, '')
        local caption = pandoc.write(pandoc.Pandoc { pandoc.Plain(i.caption) }, 'html5'):gsub('\n$', '')
        return html(picture.figure({ id = links.id(page, f.id, target), name = f.name, caption = caption }, svg, target))
    end

    local function heading(h)
        if h.identifier == 'predict' then h.classes:insert('predict') end
        if h.identifier == 'what-the-machine-did' then h.classes:insert('answer') end
        h.identifier = links.id(page, h.identifier, target)
        return h
    end

    local function link(l)
        local to, id = links.target_of(page, l.target)
        if not to then return end
        if id and not to.ids[id] then source.stop('%s: the link to %s leads nowhere', page.path, l.target) end
        local f = id and pages.figures[to.key .. '#' .. id]
        l.target = links.address(page, to, id, target)
        if not f then return l end
        if stringify(l.content):lower() == 'figure' then
            l.content = { pandoc.Str(f.name) }
            return l
        end
        if target ~= 'print' then return { l, pandoc.Str(' (' .. f.name .. ')') } end
        l.classes:insert('unpaged')         -- the figure's name has the page
        return { l, pandoc.Str(' ('), links.link(page, { pandoc.Str(f.name) }, to, id, target, 'bracketed'), pandoc.Str(')') }
    end

    -- On paper a path or an option is not broken at a hyphen of its own.
    local function short_word(text) return not text:match(' ') and text:match('[-/]') and #text <= 40 end

    local function call_link(c, call)
        return links.link(page, { c }, pages.by_key.calls, call, target, 'call')
    end

    -- A table is looked up, not read: every call in it leads to the index, on each page.
    local function calls_of_table(t)
        return t:walk { traverse = 'topdown', Link = function(l) return l, false end, Code = function(c)
            local call = render.call and render.call(c.text)
            if call then return call_link(c, call), false end
        end }
    end

    local function inline_code(c)
        local mark = marks[c.text]
        if mark then
            return pandoc.RawInline('html', '<span class="swatch ' .. mark .. '" role="img" aria-label="the mark '
                .. source.escape(c.text) .. '"></span>')
        end
        local call = render.call and render.call(c.text)
        if call and page.part == 'lesson' and not linked[call] then
            linked[call] = true
            return call_link(c, call)
        end
        if target == 'print' and short_word(c.text) then
            c.classes:insert('word')
            return c
        end
    end

    -- No widths of pandoc's. A short table stays on one page of paper. A table of calls has a class; where there is no room for columns, each cell says what it is.
    local function plain_table(t)
        local classes, heads = { 'table' }, {}
        for i, spec in ipairs(t.colspecs) do t.colspecs[i] = { spec[1], nil } end
        for i, cell in ipairs(t.head.rows[1] and t.head.rows[1].cells or {}) do heads[i] = stringify(cell.contents) end
        if #t.colspecs == 2 then table.insert(classes, 'pair') end
        if #t.bodies[1].body <= 5 then table.insert(classes, 'short') end
        if target ~= 'page' then t = t:walk { Code = humps(target) } end
        if #heads == 4 and (heads[1] == 'call' or heads[1] == 'PyTorch' and target == 'page') then
            table.insert(classes, 'of-calls')
            for _, row in ipairs(t.bodies[1].body) do
                for i, cell in ipairs(row.cells) do cell.attr.attributes['data-label'] = heads[i] end
            end
        end
        return pandoc.Div({ t }, pandoc.Attr('', classes))
    end

    -- Figures are numbered in the order of the page, so the walk is top down.
    local blocks = page.blocks:walk {
        traverse = 'topdown',
        CodeBlock = code_block,
        Para = image,
        Header = heading,
        BlockQuote = callout,
        Div = function(d) if d.identifier ~= '' then d.identifier = links.id(page, d.identifier, target) return d end end,
        Span = function(s) if s.identifier ~= '' then s.identifier = links.id(page, s.identifier, target) return s end end,
    }
    blocks = blocks:walk { Link = link }
    blocks = blocks:walk { Table = calls_of_table }
    -- No link within a link: what stands in one, or in a heading, is done.
    blocks = blocks:walk {
        traverse = 'topdown',
        Link = function(l) return l, false end,
        Header = function(h) return h, false end,
        Inlines = function(list) return links.terms(page, links.lessons(page, list, target), terms, target) end,
        Quoted = function(q) return links.quoted(page, q, target) end,
        Code = inline_code,
    }
    if target == 'print' then
        blocks = with_room(keep_with_next(blocks)):walk { Note = function(n)       -- at the foot of its page
            return pandoc.Span(pandoc.utils.blocks_to_inlines(n.content), pandoc.Attr('', { 'at-foot' }))
        end }
    end
    return blocks:walk { Table = plain_table, DefinitionList = function(list) return render.terms(page, list, target) end }
end

-- A definition list whose terms can be pointed at.
function render.terms(page, list, target)
    local out = { '<dl>' }
    local function write(blocks) return pandoc.write(pandoc.Pandoc(blocks), 'html5'):gsub('\n$', '') end
    for _, item in ipairs(list.content) do
        local term = stringify(item[1])
        local id
        for _, t in ipairs(page.terms) do if t.term == term then id = t.id end end
        table.insert(out, ('<dt id="%s">%s</dt>'):format(links.id(page, id, target), write { pandoc.Plain(item[1]) }))
        for _, definition in ipairs(item[2]) do table.insert(out, '<dd>' .. write(definition) .. '</dd>') end
    end
    table.insert(out, '</dl>')
    return pandoc.RawBlock('html', table.concat(out, '\n'))
end

-- Blocks as HTML.
function render.html(page, target)
    local text = pandoc.write(pandoc.Pandoc(render.blocks(page, target)), 'html5',
                              { section_divs = true, wrap_text = 'wrap-none' })
    text = text:gsub(' role="doc%-%w+"', ''):gsub('<th></th>', '<td></td>')     -- a heading says something
    text = text:gsub('<thead>%s*<tr class="header">%s*<td></td>%s*<td></td>%s*</tr>%s*</thead>', '')
    return text
end

return render
