enum E{}
