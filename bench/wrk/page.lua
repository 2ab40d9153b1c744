-- Opens landing pages of users by their current name: `-- USERS`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

function init(args)
    stock(function()
        local n = math.random(args[1])
        return ("/users/user%07d?invitedBy=u%07d"):format(n, n)
    end)
end
