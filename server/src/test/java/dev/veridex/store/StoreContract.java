package dev.veridex.store;

/// What every [Store] must do. An engine's test implements it and says how to open one.
public interface StoreContract
    extends StoreRecordsContract,
        StoreTransactionsContract,
        StoreLimitsContract,
        StoreExpiryContract,
        StoreLifecycleContract {}
