-- Opens old links of renamed users, who are every tenth: `-- USERS`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

function init(args)
    stock(function()
        local n = 10 * math.random(args[1] / 10)
        return ("/users/old%07d?invitedBy=u%07d&utm_source=qr"):format(n, n)
    end)
end
