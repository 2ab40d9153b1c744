import KithClient
