-- Opens paths from a file with one a line, as a person, or as a browser ahead of its user, whose visits do not count:
-- `-- FILE person|ahead`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

function init(args)
    local paths = {}
    for path in io.lines(args[1]) do
        paths[#paths + 1] = path
    end
    local headers = {
        ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
        ["Sec-Purpose"] = args[2] == "ahead" and "prefetch" or nil,
    }
    stock(function() return paths[math.random(#paths)], headers end)
end
