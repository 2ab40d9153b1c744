-- Claims taps, each by an installation of its own: `-- FILE KEY`. FILE has a token on each line, and each of the two threads
-- takes every second line.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

local body = [[{"platform":"android","installationId":"%s","referrer":"kith_claim=%s"}]]
local key, tokens, at = nil, {}, 0

function init(args)
    key = args[2]
    local line = 0
    for token in io.lines(args[1]) do
        line = line + 1
        if line % 2 == number % 2 then
            tokens[#tokens + 1] = token
        end
    end
end

function request()
    at = at + 1
    local headers = { ["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/json" }
    return wrk.format("POST", "/v1/installs/claim", headers, body:format(tokens[at], tokens[at]))
end
