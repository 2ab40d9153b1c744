-- Goes to Google Play by the links of users, as a phone whose taps are kept, or as a computer: `-- USERS android|computer`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

local agents = {
    android = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    computer = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
}

function init(args)
    stock(function()
        local n = math.random(args[1])
        return ("/users/user%07d/play-store?invitedBy=u%07d"):format(n, n), { ["User-Agent"] = agents[args[2]] }
    end)
end
