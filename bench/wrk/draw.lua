-- Gives every thread a number and a stock of random requests, drawn before the clock starts, so that drawing costs the
-- measured run nothing. A script calls `stock(path)`; `path` returns one random path.
local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function stock(path)
    math.randomseed(os.time() * 16 + number)
    local requests, at = {}, 0
    for i = 1, 40000 do
        requests[i] = wrk.format("GET", path())
    end
    request = function()
        at = at % #requests + 1
        return requests[at]
    end
end
