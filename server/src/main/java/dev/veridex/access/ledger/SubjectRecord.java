package dev.veridex.access.ledger;

/// A record of the index with the subject that it speaks of.
public record SubjectRecord(String subject, AclRecord record) {}
