-- Work for an interpreter: calls, closures, tables, strings, patterns, sorting, coroutines. The argument says how much.
local rounds = tonumber(arg[1])
local seed = 12345
local function chance(n)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed // 65536 % n
end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end

local sum = 0
for round = 1, rounds do
    sum = sum + fib(18)
    local t = {}
    for i = 1, 2000 do t[i] = chance(100000) end
    table.sort(t, function(a, b) return a < b end)
    sum = sum + t[1000]
    local words = {}
    for i = 1, 500 do words[#words + 1] = string.format("w%d_%x", chance(50), i) end
    local text, n = table.concat(words, " "):gsub("w(%d+)_", "<%1>")
    sum = sum + #text + n
    local counts = {}
    for w in text:gmatch("<%d+>") do counts[w] = (counts[w] or 0) + 1 end
    for _, c in pairs(counts) do sum = sum + c * c end
    local make = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i * round) end end)
    for _ = 1, 1000 do sum = sum + make() end
    local matrix = setmetatable({}, { __index = function(_, i) return i % 7 end })
    for i = 1, 2000 do sum = sum + matrix[i] end
    assert(load("return " .. round .. " + 1"))()
end
print(rounds, sum)
