-- SPDX-License-Identifier: MIT
-- The pages of the book, read: what there is on each that others may point at.
--
-- A page: key (its file's name without .html), part (front, lesson, neighbours, back), label ("03", or nil), title, text (its Markdown), blocks, sections (id, title, level), figures
-- (by the number of their block), and of a lesson needs (labels), able, question and answer. Everything here is known
-- before anything is rendered.
local source = require 'source'
local stringify = pandoc.utils.stringify

local pages = { list = {}, by_key = {}, figures = {} }

-- No maths: $ is a dollar.
local dialect = 'markdown-tex_math_dollars-implicit_figures-latex_macros-raw_tex'

-- What a chapter says of itself, in comments: what it needs, what its reader is able to do afterwards, and in short the
-- answer to its question. What it does not say is made of what it has: it needs the chapter before, and the answer is the
-- first paragraph of "What the machine did".
local function read_about(page, text)
    local needs = text:match('<!%-%- needs: (.-) %-%->')
    if needs then
        page.needs = {}
        for number in needs:gmatch('%d%d') do table.insert(page.needs, number) end
    end
    page.able = text:match('<!%-%- able to: (.-) %-%->')
    page.question, page.answer = text:match('<!%-%- answer: ([^\n]*)\n\n(.-)%s*%-%->')
end

local function answers()
    local out = {}
    for _, page in ipairs(pages.list) do
        local id = page.label and pages.section(page, 'What the machine did')
        if id then
            local answer, here = page.answer, false
            for _, block in ipairs(page.blocks) do
                if block.t == 'Header' then here = block.identifier == id end
                if here and block.t == 'Para' and not answer then answer = pandoc.write(pandoc.Pandoc { block }, dialect):gsub('%s+$', '') end
            end
            table.insert(out, ('## %s: %s {#answer-%s}\n\n%s\n[The drawing](%s.html#%s).\n'):format(page.label,
                page.question or page.title, page.label, answer or '', page.key, id))
        end
    end
    return table.concat(out, '\n')
end

-- Another Markdown file, whose title becomes a section's.
local function included(file)
    return (source.read(file):gsub('^<!%-%-.-%-%->%s*', ''):gsub('^#', '##'))
end

-- A heading's number of words is no limit, its id what pandoc makes of it: as other sites that show the chapters do.
local function read_page(page, path)
    local text = source.read(path)
    text = text:gsub('```{%.generated name="answers"}\n```', function() return answers() end)
    text = text:gsub('```{%.include file="([^"]*)"}\n```', included)
    local doc = pandoc.read(text, dialect)
    read_about(page, text)
    page.path, page.text, page.blocks, page.sections, page.ids = path, text, pandoc.Blocks {}, {}, {}
    page.meta = doc.meta
    for _, block in ipairs(doc.blocks) do
        if block.t == 'Header' and block.level == 1 and not page.title then
            page.title, page.heading = stringify(block.content), block.content
        elseif not (block.t == 'RawBlock' and block.text:match('^<!%-%-')) then
            page.blocks:insert(block)
        end
    end
    if not page.title then source.stop('%s has no title (# …)', path) end
    page.blocks:walk {
        Header = function(h)
            if page.ids[h.identifier] then source.stop('%s: two sections are called #%s', path, h.identifier) end
            page.ids[h.identifier] = true
            table.insert(page.sections, { id = h.identifier, title = stringify(h.content), level = h.level })
        end,
        Div = function(d) if d.identifier ~= '' then page.ids[d.identifier] = true end end,
        Span = function(s) if s.identifier ~= '' then page.ids[s.identifier] = true end end,
    }
    table.insert(pages.list, page)
    pages.by_key[page.key] = page
    page.number = #pages.list
end

-- The figures of a page, numbered in their order: "Figure 3.2". A block's own id, if it has one, names it.
local function number_figures(page)
    local count, drawn = 0, 0
    page.figures = {}
    local function add(block, pictured)
        count = count + 1
        local id = block.identifier ~= '' and block.identifier or ('figure-%d'):format(count)
        if page.ids[id] then source.stop('%s: #%s is there twice', page.path, id) end
        page.ids[id] = true
        local f = { id = id, key = page.key, pictured = pictured,
                    name = page.label and ('Figure %d.%d'):format(page.label, count) or ('Figure %d'):format(count) }
        page.figures[#page.figures + 1] = f
        pages.figures[page.key .. '#' .. id] = f
    end
    page.blocks:walk {
        traverse = 'topdown',
        CodeBlock = function(b)
            if b.classes[1] == 'timeline' then
                drawn = drawn + 1
                add(b, drawn)
            end
        end,
        Para = function(p) if #p.content == 1 and p.content[1].t == 'Image' then add(p.content[1]) end end,
    }
end

-- What other pages call the terms of a glossary, and where a term is taught: a meaning ends with `Lesson 02.`, or with
-- `Lesson 02, "Why pinned".` where the section is to be found that does not itself use the word.
local function name_terms(page)
    page.terms = {}
    for _, block in ipairs(page.blocks) do
        if block.t == 'DefinitionList' then
            for _, item in ipairs(block.content) do
                local term, meaning = stringify(item[1]), stringify(item[2][1])
                local id = 'term-' .. term:lower():gsub('[^%w]+', '-'):gsub('%-$', '')
                local number, rest = meaning:match('Lessons? (%d%d)([^%.]*)%.$')
                page.ids[id] = true
                table.insert(page.terms, { term = term, id = id, meaning = meaning, lesson = number, section = rest and rest:match('“(.*)”') })
            end
        end
    end
end

-- The lesson that teaches a term, and the id of the section, if it is named; nil where none is named.
function pages.taught(term)
    local page = term.lesson and pages.lesson(term.lesson)
    local id = page and term.section and pages.section(page, term.section)
    if page and term.section and not id then source.stop('lesson %s has no section “%s” to teach %s', term.lesson, term.section, term.term) end
    return page, id
end

-- front, lessons, back: lists of paths of Markdown, in order.
function pages.read(front, lessons, back)
    local function name_of(path) return (path:match('([^/]+)%.md$'):gsub('^%d+%-', '')) end
    for _, path in ipairs(front) do read_page({ key = name_of(path), part = 'front' }, path) end
    for _, path in ipairs(lessons) do
        local key = path:match('([^/]+)/chapter%.md$')
        read_page({ key = key, label = key:match('^%d+'), part = 'lesson' }, path)
    end
    for _, path in ipairs(back) do
        local page = { key = name_of(path), part = 'back' }
        read_page(page, path)
        if page.text:match('\n<!%-%- part: neighbours %-%->\n') then page.part = 'neighbours' end
    end
    for _, page in ipairs(pages.list) do
        number_figures(page)
        name_terms(page)
    end
end

-- The lesson that "03" is, or nil.
function pages.lesson(number)
    for _, page in ipairs(pages.list) do
        if page.label == number then return page end
    end
end

-- A message has a typewriter's apostrophe, and the page a printer's.
local function with_plain_quotes(title) return (title:gsub('\u{2018}', "'"):gsub('\u{2019}', "'")) end

-- The id of the section of `page` with that title, or nil.
function pages.section(page, title)
    for _, section in ipairs(page.sections) do
        if with_plain_quotes(section.title) == with_plain_quotes(title) then return section.id end
    end
end

return pages
