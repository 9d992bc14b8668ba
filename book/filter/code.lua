-- SPDX-License-Identifier: MIT
-- Code and what programs print, as HTML. CUDA C is coloured here: pandoc knows no CUDA.
local source = require 'source'
local escape = source.escape

local code = {}

local function set(words)
    local is = {}
    for word in words:gmatch('%S+') do is[word] = true end
    return is
end
local keyword = set [[if else for while do switch case default break continue return goto sizeof static const volatile
    extern inline struct union enum typedef __global__ __device__ __host__ __shared__ __managed__ __constant__
    __restrict__ auto register template class public private namespace using new delete true false NULL nullptr
    constexpr alignas]]
local kind = set [[void char short int long float double signed unsigned bool size_t ptrdiff_t dim3 int8_t uint8_t
    int32_t uint32_t int64_t uint64_t uintptr_t FILE pthread_t pthread_mutex_t pthread_cond_t]]

local function span(class, text)
    return '<span class="' .. class .. '">' .. escape(text) .. '</span>'
end

local function word(text)
    if keyword[text] then return span('k', text) end
    if kind[text] or text:match('^cuda%w+_t$') then return span('t', text) end
    if text:match('^cuda%u') then return span('f', text) end
    return escape(text)
end

-- What may come next, the first that fits.
local tokens = {
    { '^//[^\n]*', 'c' }, { '^/%*.-%*/', 'c' }, { '^# [^\n]*', 'c' },         -- the last is Python's
    { '^"[^"\n]*"', 's' }, { "^'[^'\n]*'", 's' },
    { '^#%a+', 'p' },
    { '^[%a_][%w_]*', word },
    { '^%d[%w%.]*', 'n' },
    { '^<<<', 'l' }, { '^>>>', 'l' },
    { '^[^%w_/"\'#<>]+', escape },
    { '^.', escape },
}

-- What stands between a line and the remark behind it can be told from both (`gap`): a narrow screen has no room for it.
function code.cuda(text)
    local out, at = {}, 1
    -- An escaped quote ends no string.
    text = text:gsub('\\"', '\1')
    while at <= #text do
        for _, token in ipairs(tokens) do
            local found = text:match(token[1], at)
            if found then
                local paint = token[2]
                out[#out + 1] = type(paint) == 'function' and paint(found) or span(paint, found)
                at = at + #found
                break
            end
        end
    end
    local html = table.concat(out):gsub('\1', '\\&quot;')
    return (html:gsub('(%S)(   +)(<span class="c">//)', '%1<span class="gap">%2</span>%3'))
end

-- The region of a file: what stands before it, it, what stands after it, and how far it is indented. No marks.
local function region(file, name)
    local parts, at, found = { {}, {}, {} }, 1, false
    for _, line in ipairs(source.lines(source.read(file))) do
        local side, of = line:match('^%s*//([<>])%s*(%S+)')
        if not side then side, of = line:match('^%s*#([<>])%s*(%S+)') end        -- Python
        if side == '>' and of == name and at == 1 then at, found = 2, true
        elseif side == '<' and of == name and at == 2 then at = 3
        elseif not side then table.insert(parts[at], line)
        end
    end
    if not found or at ~= 3 then source.stop('%s has no region %s', file, name) end
    local least
    for _, line in ipairs(parts[2]) do
        local indent = line:match('^( *)[^ ]')
        if indent and (not least or #indent < least) then least = #indent end
    end
    return parts, least or 0
end

local function longest(text)
    local most = 0
    for _, line in ipairs(source.lines(text)) do most = math.max(most, utf8.len(line) or #line) end
    return most
end

-- A wide block is set smaller in print. A telephone is told how many columns there are, to set what nearly fits so that it does.
local function pre(class, text, html)
    local wide = longest(text)
    local size = wide > 104 and ' widest' or wide > 92 and ' wide' or ''
    class = (class .. size):gsub('^ ', '')
    local columns = '--columns: ' .. wide .. '; --narrow: ' .. longest((text:gsub('(%S)   +//', '%1  //')))
    return '<pre' .. (class ~= '' and ' class="' .. class .. '"' or '') .. ' style="' .. columns .. '"><code>' .. html .. '</code></pre>'
end

-- On paper one of more lines than this may go on on the next page; what the grader says may not.
local long = 7

local function figure(class, caption, text, body)
    if #source.lines(text) > long and class ~= 'message' then class = class .. ' long' end
    return '<figure class="' .. class .. '">'
        .. (caption and '<figcaption>' .. caption .. '</figcaption>' or '') .. '\n' .. body .. '</figure>'
end

-- A region of a file. Where the reader can ask for it (`whole`), the rest of the file is there, hidden.
function code.listing(file, name, text, whole)
    local parts, indent = region(file, name)
    local bare = {}
    for i, line in ipairs(parts[2]) do bare[i] = line:sub(indent + 1) end
    if table.concat(bare, '\n') ~= text then
        source.stop('%s: a chapter does not show region %s as it is now (make figures mends that)', file, name)
    end
    local html = code.cuda(text)
    if whole then
        local hide = function(lines) return lines == '' and '' or '<span class="rest">' .. lines .. '</span>' end
        local before, after = table.concat(parts[1], '\n'), table.concat(parts[3], '\n')
        html = hide((' '):rep(indent)) .. html:gsub('\n([^\n])', '\n' .. hide((' '):rep(indent)):gsub('%%', '%%%%') .. '%1')
        html = hide(before == '' and '' or code.cuda(before) .. '\n') .. html
            .. hide(after == '' and '' or '\n' .. code.cuda(after))
    end
    return figure('listing', '<code>' .. escape(file) .. '</code>', text, pre('cuda', text, html))
end

function code.snippet(text)
    return figure('listing', nil, text, pre('cuda', text, code.cuda(text)))
end

-- What a program prints.
function code.output(attributes, text)
    local caption = '<code>' .. escape(attributes.program:match('[^/]+$')) .. '</code> prints'
    if attributes.env then caption = caption .. ' with <code>' .. escape(attributes.env) .. '</code>' end
    return figure('output', caption, text, pre('', text, escape(text)))
end

-- A message in its fields: what only sets it in columns (`gap`) and what its lines are called can be told from what they
-- say, so that a narrow screen need not keep to 80 columns.
local function fields(html)
    local out = {}
    for _, line in ipairs(source.lines(html)) do
        local fail, gap, rest = line:match('^(<strong>FAIL</strong>)( +)(.*)$')
        local label, between
        if fail then
            out[#out + 1] = '<span class="field">' .. fail .. '<span class="gap">' .. gap .. '</span>' .. rest
        else
            gap, label, between, rest = line:match('^(    )(%l[%l ]-)(  +)(.*)$')
            if label then
                out[#out] = out[#out] .. '\n</span>'
                out[#out + 1] = ('<span class="field %s"><span class="gap">%s</span><span class="label">%s</span><span class="gap">%s</span>%s')
                    :format(label:gsub(' ', '-'), gap, label, between, rest)
            else
                gap, rest = line:match('^( *)(.*)$')
                out[#out] = out[#out] .. '\n<span class="gap">' .. gap .. '</span>' .. rest
            end
        end
    end
    return table.concat(out) .. '</span>'
end

-- What the grader says of a wrong answer; `section(title, lesson)` is the address of what it sends the reader to.
function code.message(wrong, text, section)
    local html = escape(text):gsub('^FAIL', '<strong>FAIL</strong>')
    html = html:gsub('(read +)(&quot;)(.-)(&quot; in%s+lessons/)([%w-]+)(/chapter.md)',
        function(read, open, title, close, lesson, rest)
            local where = section(title:gsub('&quot;', '"'):gsub('&lt;', '<'):gsub('&gt;', '>'):gsub('&amp;', '&'), lesson)
            return where and read .. '<a href="' .. where .. '">' .. open .. title .. close .. lesson .. rest .. '</a>'
        end)
    return figure('message', 'what the grader says', text, pre('', text, fields(html)))
end

function code.plain(text)
    return figure('plain', nil, text, pre('', text, escape(text)))
end

return code
