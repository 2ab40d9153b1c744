-- Opens short codes from a file with one a line: `-- FILE`.
dofile(os.getenv("WRK_SCRIPTS") .. "/draw.lua")

function init(args)
    local codes = {}
    for code in io.lines(args[1]) do
        codes[#codes + 1] = code
    end
    stock(function() return "/" .. codes[math.random(#codes)] end)
end
