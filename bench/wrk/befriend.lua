-- Makes friendships: one user asks, later the other accepts. FILE has a pair of uids on each line, and each of the two
-- threads takes every second line. LATER requests are sent before the first is accepted. Arguments: `-- FILE KEY LATER`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

local key, later
local strangers, asked, accepted = {}, 0, 0

function init(args)
    key, later = args[2], tonumber(args[3])
    local line = 0
    for low, high in io.open(args[1]):read("*a"):gmatch("(%S+) (%S+)") do
        line = line + 1
        if line % 2 == number % 2 then
            strangers[#strangers + 1] = { low, high }
        end
    end
end

local function befriend(me, other)
    return wrk.format("PUT", "/v1/friends/" .. other, { ["Authorization"] = "Bearer " .. key, ["Kith-User"] = me })
end

function request()
    if asked - accepted < later then
        asked = asked + 1
        return befriend(strangers[asked][1], strangers[asked][2])
    end
    accepted = accepted + 1
    return befriend(strangers[accepted][2], strangers[accepted][1])
end
