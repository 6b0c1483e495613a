package dev.veridex.access.ledger;

/// A record and the subject that it names.
public record SubjectRecord(String subject, AclRecord record) {}
