-- SPDX-License-Identifier: MIT
-- Files, and what is done with text everywhere.
local source = {}

-- Ends the build: one line that says what is wrong.
function source.stop(format, ...)
    io.stderr:write('make book: ', format:format(...), '\n')
    os.exit(1)
end

-- `source.log`: where it is a table, the paths that are read are noted in it.
function source.read(path)
    if source.log then source.log[path] = true end
    local file = io.open(path, 'rb')
    if not file then source.stop('there is no %s', path) end
    local text = file:read('a')
    file:close()
    return text
end

function source.exists(path)
    local file = io.open(path, 'rb')
    if file then file:close() end
    return file ~= nil
end

function source.write(path, text)
    local file = io.open(path, 'wb')
    if not file then source.stop('cannot write %s', path) end
    file:write(text)
    file:close()
end

-- A file that has the text already keeps its time.
function source.update(path, text)
    if not source.exists(path) or source.read(path) ~= text then source.write(path, text) end
end

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }
function source.escape(text)
    return (text:gsub('[&<>"]', entities))
end

-- 2026-11-22 as people write it.
local months = { 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December' }
function source.day(date)
    local year, month, day = date:match('^(%d%d%d%d)-(%d%d)-(%d%d)$')
    if not (day and months[tonumber(month)]) then source.stop('%s is not a date such as 2026-11-22', date) end
    return ('%d %s %s'):format(tonumber(day), months[tonumber(month)], year)
end

-- As a string of JavaScript; no </script> can come of it.
function source.quote(text)
    return '"' .. text:gsub('[%c"\\<]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

function source.lines(text)
    local lines = {}
    for line in (text:sub(-1) == '\n' and text or text .. '\n'):gmatch('(.-)\n') do lines[#lines + 1] = line end
    return lines
end

-- A table of lines with tab-separated fields; # begins a comment.
function source.table(path)
    local rows = {}
    for _, line in ipairs(source.lines(source.read(path))) do
        if line ~= '' and line:sub(1, 1) ~= '#' then
            local row = {}
            for field in (line .. '\t'):gmatch('(.-)\t') do row[#row + 1] = field end
            rows[#rows + 1] = row
        end
    end
    return rows
end

return source
