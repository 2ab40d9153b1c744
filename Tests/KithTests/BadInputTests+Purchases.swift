import HTTPTypes

/// Strings in bodies about purchases.
extension BadInputTests {
    static let purchases: [Slot] = [
        Slot(
            .put, "/v1/admin/offers/spring", "productId", #"{"appStoreId":"1","offer":"x","productId":§}"#
        ),
        Slot(.post, "/v1/admin/offers/spring/codes", "codes", #"{"codes":§}"#),
        Slot(.post, "/v1/admin/offers/spring/codes", "expires", #"{"codes":"x","expires":§}"#),
        Slot(.post, "/v1/admin/offers/spring/deals", "uids", #"{"uids":[§]}"#),
        Slot(.post, "/hooks/appstore", "signedPayload", #"{"signedPayload":§}"#),
        Slot(.post, "/v1/me/transactions", "signedTransaction", #"{"signedTransaction":§}"#),
        Slot(
            .post, "/v1/admin/users/u-ann/simulated-purchases", "act", #"{"act":§,"campaign":"spring"}"#),
        Slot(
            .post, "/v1/admin/users/u-ann/simulated-purchases", "campaign",
            #"{"act":"redeem","campaign":§}"#),
    ]
}
