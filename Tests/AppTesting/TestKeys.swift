/// RSA keys for these tests alone: making one takes longer than all the tests.
enum TestKeys {
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDwkKE2gabAYdL1
        jPcGZDJd0m7baaaSaW2doaRk1yWly4zm7h2zfMoXjHdt/+ce3KshZa7iFmPVPDe4
        19gur9XRtJufEOXWF4fuG18SOvpw902Bwy2+oqldD+FBwNGeKY+r2p7vUHChgvyB
        A5mePXUo3EW+ceNd1l6Qi/84QoBlRkc9+kae6kQVnF3G8yMVBjhHppyDVLD8/K3R
        nFMKoVGs80oHC5/MCnPqyI++RyYQESA0Xo9M/kiVRBmG+9FjzVwT29Ia6VAHTxQl
        V5W59NNj8bmj3FiEZUY3rmX7bUBmn++xwiWifwxOBAQDM54uTAyVbdaiGtq6zJRY
        cMdKFRQjAgMBAAECggEAJE9wRe3j4X3ifbW9Q3W0NH0ixnN39Pl81iIj0iS3RgMn
        TWP7j6/yQQOusyfBFuNv4Sab8vw2LWVdc8UAmGtp9rEwHB5M0rfSiJoRC4tjadGq
        HT/8k52xup4+/dHA0gKr8OCaxLx7g6Vlv4NvmHbmTDiTPl+qVeuZcm/vIerHvoFG
        KB27DN5o3y95wxnB81YzI5Dg+OHbkP85LjGGbmAZ6YuXq0KiAqVG9reVMWFTtx0/
        9r5mXx1g4Xe52ha1ee5TrLhnKxW6dbaIZExsTxxnW/DRqMotGVlR6J3pXZP+UYfj
        btEYr/zWQXePDsRv3k/TYLA+30svPoDzF37ZYwgpYQKBgQD9+aDM7XKbeLNb+++p
        w3DFuUSSQgLqdANyWCF56+U9QCpKFCqoUl4/+ct7yaOJXrIX5Vf01JEJDoW417mD
        8/j1pNGsnb3M9lHl+AJZjYv5+b4HrKAJPTfk2CfQyBN+8ttAy2AKmY6LrkUolrxF
        0i7wE+hTu5Q7wRHIB54gKDrZRwKBgQDye6GLo1nnaDXld0eqQR7a9cwHT6KciVDA
        j9+OEnQ7GRqKYcpd7M2Y+Z5B/wd6hT9hOxbTrTo2wdY0VPoO5TlkY1cQLXAavBQb
        XfcfGNODLOon70TaUKNo+70wYyQIUpXePb0cWkPhQAxGZq6ouN+uc/hte/PezWtB
        R489ZEVcRQKBgC8ZrmKS3qBKoCi87lNzdWSV2Uuuhk/ouALqqTqtLtRPJAic+NRC
        gkwnDT+lw3hkYW7hD5DOIx+k29PN3g/EnTUhHel/T4XFYKbfecAV6hGv6TgPIZbV
        DZqZI7kqgcMXUuYPUX5lv/PTm+vNGJlyQ1YuuvVcYj86rQuFriOUkmVdAoGBAOi0
        OO43T9pCKicS95WudRwQ80K47AdpyDNkX1iK4Tyt9MiE3J6S2SRLudMAGn88TPzU
        pi1yewF9uEH0ox2UYiWzKCSAVqtxf6Jb5QLU4ndqrTSx7NPOu2PO41sCadwK1YS4
        nzoMbkRHIQCXHlsRQKi85ta7M+jIHnxBXne+OMo5AoGAb3qjAnB/7jJH3i3C8UPA
        oQdmT8C5FUeYpwsx4dvSfRcxxl263zWU9SM1If6vrGcbiX+92v7MRGZK7LGlPSqz
        x3cm9YfzyC0GPp2Ftjy+tJx34kj37H3cv9sUH5xrP2iFs9mfDceNk35wOb5GcbB6
        DZ67pfk+Psy4TowYf/supRY=
        -----END PRIVATE KEY-----
        """
    static let rsaModulus = """
        8JChNoGmwGHS9Yz3BmQyXdJu22mmkmltnaGkZNclpcuM5u4ds3zKF4x3bf_nHtyrIWWu4hZj1Tw3uNfYLq_V0bSbnx\
        Dl1heH7htfEjr6cPdNgcMtvqKpXQ_hQcDRnimPq9qe71BwoYL8gQOZnj11KNxFvnHjXdZekIv_OEKAZUZHPfpGnupE\
        FZxdxvMjFQY4R6acg1Sw_Pyt0ZxTCqFRrPNKBwufzApz6siPvkcmEBEgNF6PTP5IlUQZhvvRY81cE9vSGulQB08UJV\
        eVufTTY_G5o9xYhGVGN65l-21AZp_vscIlon8MTgQEAzOeLkwMlW3WohrausyUWHDHShUUIw
        """

    static let otherRSA = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDghH5AOloeA2su
        oehqVNfvRvakFbO3kzanVasR+dUgJ4Ogc06mNTHRFZrEqP9F5UUqscay7G0Ata42
        mf1BEUQKX3xIDdATJ4XZ5dI0lUS+EFFdwM5ZANLVhk436bCsC1t3A7E+tsr+mhE7
        Mf0zgidW4k4L5pG2V916yduuj7gWFfkMdkomw582aXj4q23RoYRdie4b/pSJDWQc
        bBcLX1ccsvWf9wIISLlc2A9FRSHV1d2nXIZrkKJqpyhqHDPNUtyGbEajCJdpF9rg
        5sjtFOQnoXrgsRBo1AuY1jo7sagPcVAWgxNppEtkpNd8/2Fyq+Sc16QeDor5GGCf
        AQ5iTTJ/AgMBAAECggEAaWn75wceubnMMLRnLcmRKzDL68WewGH3xsBj1khRZ0v2
        MrcA5evS7ILyzEQ2uugHPiEDFI4KLcuftNY/QLYtFpu3fBM0L1Iet+x+ch7ljEGY
        GmdE2ygWVZe+EOWBhH2+n5YVucbUb48B6SOy6OTCuLn/f/ntT0pY3GZ7ZS3odkFQ
        cD0hAoG3AJnCGunWNXWbdDcaw2ujJQFLaDhb0SZYk8EQ+RDkR4/PGjJxgOefXlaA
        e6JJjsx4evxIWmd4Vl/q3Mwd9Fz1c2ISu+fd4dH9Nhw+q6/MwnpKNB1pUWU5tmZp
        K+8YXF19bpZ5NE7roWCDPEpvz7anZbRg1z9dXbVg7QKBgQD7acuvHfy/Y4iNDtyH
        /Ruj84qoCrf3YgdUR0jmqzXXpPS/SiK/QhWv8ywonaU4e+0fXpiwfqd+4TFNJBU+
        pqCdHd/Hg8YQCkpKjoLwFnbRWa8EcNUcEJVxYHiFBv7ttA7qZbSTky9ez1uUPJv0
        8ZQVM9bd+YNFmC0SnXFHOn/zbQKBgQDknRVYQFNI+0j2F0rQWsuhHHuAxEDW6RSG
        u5orBql7QdWoyJVS7E16vBouN7MC3R+qwLHa8yVjL9Wt9X+fuNh3WiXNAKkw1KAy
        GQVf+zZqF+8nOvAnsPo4vmP+b+RkKP29w4pQK6r7mXe0atR/Lv9jDFupRsV5csZn
        CfVn4M7eGwKBgBG+EJrGIf0buBpETznlmdrDKCjdwMfbiirfcPyeXoleYctSHwui
        TUeCgL5JCcznqf9JvLrP5WAl4kXQYxNtzO3pms5ItWSSZVXHouPwoef6TUih8dgu
        L2214it5J+p8h4TxMoIro+8r8QmQEW2C0vGAHAzEPAhgSeYDaGgfb8ItAoGBAJfN
        CohQJj1WxirKap4RPBdd71AggKFzoXKZjZQ2V0GGBJaPoj+usv/leUjpKU+kfsuG
        KlMlktTaxXs+gaEQP4R48pK+dpn7BeheHuiNyaMHA4E8LI1egbg+C+2+ZJxxb5Ob
        DPORG3b3f7noGfPdxC0D3rV3TdcH9GAlB7QTXamzAoGBAI1cONq1hvbE7wpZNtmw
        m/WpPSyANdWSEGhrGO6WpNHVCLVCXIm1N3/GILQOmoR/ITRaC2PEI9yaheoQm9MQ
        SOrkdSjJ8eN5S+j1iVj8rwxCxgGIh5Qsi3LUpayuVdZKZqa60ulnFa5JEqxwpt8j
        Ijg0OyUxBWEHcQSWCscvs+5S
        -----END PRIVATE KEY-----
        """
    static let otherRSAModulus = """
        4IR-QDpaHgNrLqHoalTX70b2pBWzt5M2p1WrEfnVICeDoHNOpjUx0RWaxKj_ReVFKrHGsuxtALWuNpn9QRFECl98SA\
        3QEyeF2eXSNJVEvhBRXcDOWQDS1YZON-mwrAtbdwOxPrbK_poROzH9M4InVuJOC-aRtlfdesnbro-4FhX5DHZKJsOf\
        Nml4-Ktt0aGEXYnuG_6UiQ1kHGwXC19XHLL1n_cCCEi5XNgPRUUh1dXdp1yGa5CiaqcoahwzzVLchmxGowiXaRfa4O\
        bI7RTkJ6F64LEQaNQLmNY6O7GoD3FQFoMTaaRLZKTXfP9hcqvknNekHg6K-RhgnwEOYk0yfw
        """

    /// A key of 1024 bits, and a token for `alice` that it signed and that is valid but for the key's size.
    static let weakModulus = """
        2-G9w_VkUlxJngM4yEqoJ2s_xfBStxP9ul2aD3tlpCqyOT64JxM7AaMy_6UhvNY2HZbu2IkftCH1C_ONQXnoX3mUNW\
        AP8ll2i4KRUz4qOMp5rOZmmwgWsyzqupgKudkrrbpHqOqxf5ENEEyLuE-XrE77DRoa4KP8dbq7hHt3R70
        """
    static let weakToken = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6IndlYWsiLCJ0eXAiOiJKV1QifQ.eyJhdWQiOiJraXRoIiwiZXhwIjoyMDAwMDA\
        zNjAwLCJpYXQiOjIwMDAwMDAwMDAsImlzcyI6Imh0dHBzOi8vaWQuZXhhbXBsZS5jb20iLCJzdWIiOiJhbGljZSJ9.\
        0R-k67R0Xekt1CJzQyNEXFQpstDdNc14O2tAWkm3ukxxaDa1UoAhyrqqfZ2yxJZVpgRhUloKxQnW8A_BwgSSmSua7C\
        pTVG7nMMkPN_dPbxLxbhGRFsescvvU0q1iYl-4_ltnVCfXm0I0AfCida2_EOw4Sg3FStN4FWAxNJbW_uU
        """
}
