-- SPDX-License-Identifier: MIT
-- A page's blocks as they stand in one of the three books: `page` (the site, a file for each), `print` (all on one
-- page, and the PDF) and `epub`. In the last two all ids share one space: a page's begin with its own.
local source = require 'source'
local code = require 'code'
local picture = require 'picture'
local pages = require 'pages'
local stringify = pandoc.utils.stringify

local render = {}

-- What generates the contents of a block ```{.generated name="…"}: name -> function(target) that returns blocks.
render.generators = {}

function render.id(page, id, target)
    if target == 'page' then return id end
    return 'p-' .. page.key .. (id and '--' .. id or '')
end

-- The address of a place of the book, as seen from `from`.
function render.address(from, page, id, target)
    if target ~= 'page' then return '#' .. render.id(page, id, target) end
    local file = page == from and id and '' or (page.key .. '.html')
    return file .. (id and '#' .. id or '')
end

-- The page and the id that a link in a chapter means; nil: it leads out of the book.
local function target_of(page, target)
    if target:match('^%a[%w+.-]*:') then return nil end
    local path, id = target:match('^([^#]*)#?(.*)$')
    if id == '' then id = nil end
    if path == '' then return page, id end
    local key = path:match('([^/]+)/chapter%.md$') or path:match('([%w-]+)%.md$') or path:match('([%w-]+)%.html$')
    key = key and (pages.by_key[key] and key or key:gsub('^%d+%-', ''))
    if not key or not pages.by_key[key] then
        source.stop('%s: the link to %s leads nowhere', page.path, target)
    end
    return pages.by_key[key], id
end

local function link_to(from, content, page, id, target, class)
    return pandoc.Link(content, render.address(from, page, id, target), '', pandoc.Attr('', class and { class } or {}))
end

-- "lesson 05" becomes a link to it, if there is one; "figure" in a link's text becomes the figure's number.
local function link_lessons(page, inlines, target)
    local out = pandoc.List()
    local i = 1
    while i <= #inlines do
        local here, gap, number = inlines[i], inlines[i + 1], inlines[i + 2]
        local before = here.t == 'Str' and here.text:match('^(.-)[Ll]essons?$')
        local digits, rest
        if before and number and (gap.t == 'Space' or gap.t == 'SoftBreak') and number.t == 'Str' then
            digits, rest = number.text:match('^(%d%d)(.*)$')
        end
        local lesson = digits and digits ~= page.label and pages.lesson(digits)
        if lesson then
            if before ~= '' then out:insert(pandoc.Str(before)) end
            out:insert(link_to(page, { pandoc.Str(here.text:sub(#before + 1)), pandoc.Space(), pandoc.Str(digits) },
                               lesson, nil, target))
            if rest ~= '' then out:insert(pandoc.Str(rest)) end
            i = i + 3
        else
            out:insert(here)
            i = i + 1
        end
    end
    return out
end

-- A glossary's terms in running text lead to it, each once a page: `left` has those that have not been met yet.
local function link_terms(page, inlines, left, target)
    local glossary = pages.by_key.glossary
    local out, i = pandoc.List(), 1
    -- The words from the i-th inline on, as many as `term` has: where they end, what stands before and behind them.
    local function match(term)
        local at, before, behind = i, '', ''
        for n, word in ipairs(term.words) do
            local s = inlines[at]
            if not s or s.t ~= 'Str' then return end
            local text = s.text
            if n == 1 then before, text = text:match('^([(“]*)(.*)$') end
            if n == #term.words then
                local core, rest = text:match('^(.-)([%.,;:)”]*)$')
                text, behind = core, rest
                if text ~= term.proper and text:lower() ~= word then text = text:lower():gsub('s$', '') end
            end
            if text ~= term.proper and text:lower() ~= word then return end
            if n == #term.words then return at, before, behind end
            local gap = inlines[at + 1]
            if not gap or (gap.t ~= 'Space' and gap.t ~= 'SoftBreak') then return end
            at = at + 2
        end
    end
    while i <= #inlines do
        local found
        for _, term in ipairs(left) do
            local last, before, behind = match(term)
            if last and not term.met then
                found = true
                term.met = true
                if before ~= '' then out:insert(pandoc.Str(before)) end
                local words = pandoc.List()
                for k = i, last do words:insert(inlines[k]) end
                local first, final = words[1].text:sub(#before + 1), nil
                words[1] = pandoc.Str(first)
                final = words[#words].text
                words[#words] = pandoc.Str(final:sub(1, #final - #behind))
                local link = link_to(page, words, glossary, term.id, target, 'term')
                link.title = term.meaning
                out:insert(link)
                if behind ~= '' then out:insert(pandoc.Str(behind)) end
                i = last + 1
                break
            end
        end
        if not found then
            out:insert(inlines[i])
            i = i + 1
        end
    end
    return out
end

-- The terms that a page may link, the longer ones first. One in capitals is met in capitals only.
local function terms_for(page)
    local left, glossary = {}, pages.by_key.glossary
    if page.part ~= 'lesson' or not glossary then return left end
    for _, t in ipairs(glossary.terms) do
        local words, proper = {}, t.term:match('^%u+$')
        for word in t.term:lower():gmatch('%S+') do words[#words + 1] = proper or word end
        left[#left + 1] = { words = words, id = t.id, meaning = t.meaning, proper = proper or nil }
    end
    table.sort(left, function(a, b) return #a.words ~= #b.words and #a.words > #b.words or #a.words == #b.words and a.id < b.id end)
    return left
end

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
-- picture may begin at the foot of a page.
local function with_room(blocks)
    local out, question = pandoc.Blocks {}, nil
    for _, block in ipairs(blocks) do
        if block.t == 'Header' and block.classes:includes('predict') then question = block end
        if question and block.t == 'RawBlock' and block.text:match('^<figure class="timeline"') then question.classes:insert('long') end
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
    local used, linked, terms = 0, {}, terms_for(page)
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
                return render.address(page, to, id, target)
            end))
        elseif class == 'timeline' then
            local f = next_figure()
            local caption, from = picture.caption(a)
            local id = render.id(page, f.id, target)
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
        return html(picture.figure({ id = render.id(page, f.id, target), name = f.name, caption = caption }, svg, target))
    end

    local function heading(h)
        if h.identifier == 'predict' then h.classes:insert('predict') end
        if h.identifier == 'what-the-machine-did' then h.classes:insert('answer') end
        h.identifier = render.id(page, h.identifier, target)
        return h
    end

    local function link(l)
        local to, id = target_of(page, l.target)
        if not to then return end
        if id and not to.ids[id] then source.stop('%s: the link to %s leads nowhere', page.path, l.target) end
        local f = id and pages.figures[to.key .. '#' .. id]
        l.target = render.address(page, to, id, target)
        if not f then return l end
        if stringify(l.content):lower() == 'figure' then
            l.content = { pandoc.Str(f.name) }
            return l
        end
        return { l, pandoc.Str(' (' .. f.name .. ')') }
    end

    -- A section's title in quotation marks leads to it.
    local function quoted(q)
        local id = q.quotetype == 'DoubleQuote' and pages.section(page, stringify(q.content))
        if id then return { pandoc.Str('“'), link_to(page, q.content, page, id, target), pandoc.Str('”') }, false end
        return q, false     -- what is quoted is others' words, and no place for links
    end

    -- On paper a path or an option is not broken at a hyphen of its own.
    local function short_word(text) return not text:match(' ') and text:match('[-/]') and #text <= 40 end

    local function inline_code(c)
        local mark = marks[c.text]
        if mark then
            return pandoc.RawInline('html', '<span class="swatch ' .. mark .. '" role="img" aria-label="the mark '
                .. source.escape(c.text) .. '"></span>')
        end
        local call = render.call and render.call(c.text)
        if call and page.part == 'lesson' and not linked[call] then
            linked[call] = true
            return link_to(page, { c }, pages.by_key.calls, call, target, 'call')
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
        Div = function(d) if d.identifier ~= '' then d.identifier = render.id(page, d.identifier, target) return d end end,
        Span = function(s) if s.identifier ~= '' then s.identifier = render.id(page, s.identifier, target) return s end end,
    }
    blocks = blocks:walk { Link = link }
    -- No link within a link: what stands in one, or in a heading, is done.
    blocks = blocks:walk {
        traverse = 'topdown',
        Link = function(l) return l, false end,
        Header = function(h) return h, false end,
        Inlines = function(list) return link_terms(page, link_lessons(page, list, target), terms, target) end,
        Quoted = quoted,
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
        table.insert(out, ('<dt id="%s">%s</dt>'):format(render.id(page, id, target), write { pandoc.Plain(item[1]) }))
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
