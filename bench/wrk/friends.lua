-- Reads pages of 50 friends, of users from a file with one uid a line: `-- FILE KEY`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

function init(args)
    local uids = {}
    for uid in io.lines(args[1]) do
        uids[#uids + 1] = uid
    end
    stock(function()
        return "/v1/friends?limit=50",
            { ["Authorization"] = "Bearer " .. args[2], ["Kith-User"] = uids[math.random(#uids)] }
    end)
end
