-- Signs up new uids, each with the permanent link of a random user: `-- KEY USERS RUN`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

local body = [[{"username":"s%st%dn%d","invite":{"username":"user%07d","invitedBy":"u%07d"}}]]
local key, users, run
local count = 0

function init(args)
    key, users, run = args[1], tonumber(args[2]), args[3]
    math.randomseed(os.time() * 16 + number)
end

function request()
    count = count + 1
    local inviter = math.random(users)
    local headers = {
        ["Authorization"] = "Bearer " .. key,
        ["Kith-User"] = ("s-%s-%d-%d"):format(run, number, count),
        ["Content-Type"] = "application/json",
    }
    return wrk.format("POST", "/v1/signup", headers, body:format(run, number, count, inviter, inviter))
end
