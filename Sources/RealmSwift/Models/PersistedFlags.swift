// SPDX-License-Identifier: Apache-2.0

// What a `@Persisted` field knows beside its value.
//
// Invariants:
// 1. No two flags share a bit.

/// The arguments of a `@Persisted` declaration, and what became of the field since.
@frozen @usableFromInline
struct PersistedFlags: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt

  @inlinable
  init(rawValue: UInt) { self.rawValue = rawValue }

  @inlinable static var indexed: PersistedFlags { PersistedFlags(rawValue: 1) }
  @inlinable static var primaryKey: PersistedFlags { PersistedFlags(rawValue: 2) }
  @inlinable static var fullText: PersistedFlags { PersistedFlags(rawValue: 4) }
  /// The two bits of the rule for linked objects.
  static var deleteRules: PersistedFlags { PersistedFlags(rawValue: 8 | 16) }
  /// The program set a value before the object became managed.
  @inlinable static var assigned: PersistedFlags { PersistedFlags(rawValue: 32) }
  /// The object is managed; only set for types whose coding needs it.
  static var managed: PersistedFlags { PersistedFlags(rawValue: 64) }
}

extension PersistedFlags {
  /// The flags of a search index.
  @inlinable
  init(_ index: IndexType) { self = index == .fullText ? .fullText : .indexed }

  /// The flags of a rule for linked objects.
  init(_ rule: DeleteRule) { self.init(rawValue: UInt(rule.rawValue) << 3) }

  /// The rule for linked objects.
  var deleteRule: DeleteRule {
    DeleteRule(rawValue: UInt8(intersection(.deleteRules).rawValue >> 3)) ?? .nullify
  }
}
