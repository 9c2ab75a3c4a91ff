// SPDX-License-Identifier: Apache-2.0

// What a role allows (P4 C.1).

/// A role of an app in flexible mode.
package struct Role: Hashable, Sendable {
  /// The permissions of single properties; nil where the file says nothing.
  package struct FieldRule: Hashable, Sendable {
    package var read: Bool?
    package var write: Bool?

    package init(read: Bool? = nil, write: Bool? = nil) {
      self.read = read
      self.write = write
    }
  }

  package let name: String
  /// The users of the role.
  package var appliesWhen: RuleExpression
  /// The objects that may be read. Those that may be written may be read, too.
  package var readFilter: DocumentFilter
  package var writeFilter: DocumentFilter
  /// Whether properties without a rule of their own may be read.
  package var reads = false
  /// Whether properties without a rule of their own may be changed.
  package var writes = false
  package var inserts = false
  package var deletes = false
  /// The rules of single properties.
  package var fields: [String: FieldRule] = [:]
  /// The rule of all other properties.
  package var otherFields = FieldRule()

  /// - Parameters:
  ///   - appliesWhen: Nothing but users in it.
  package init(
    named name: String, appliesWhen: RuleExpression, readFilter: DocumentFilter,
    writeFilter: DocumentFilter
  ) {
    self.name = name
    self.appliesWhen = appliesWhen
    self.readFilter = readFilter
    self.writeFilter = writeFilter
  }

  /// The permission of a user for whom the role applies.
  func permission(in context: RuleContext) -> ClassPermission {
    let write = writeFilter.resolved(in: context)
    let readable = readableFields
    return ClassPermission(
      role: name,
      read: readable.isEmpty
        ? .constant(false) : .joined(any: [readFilter.resolved(in: context), write]),
      readable: readable.isEmpty ? .all : readable, write: write, inserts: inserts,
      deletes: deletes,
      fields: fields.mapValues { $0.write ?? otherFields.write ?? writes },
      otherFields: otherFields.write ?? writes)
  }

  /// The readable properties; none if objects may not be read.
  private var readableFields: ReadableFields {
    let others = mayRead(otherFields)
    return ReadableFields(
      others: others, exceptions: Set(fields.filter { mayRead($0.value) != others }.keys))
  }

  /// Whether a property may be read. What may be written may be read.
  func mayRead(_ rule: FieldRule) -> Bool {
    (rule.read ?? otherFields.read ?? reads) || (rule.write ?? otherFields.write ?? writes)
  }

  /// Whether the role depends on an expansion.
  func reads(_ expansion: RuleExpansion) -> Bool {
    appliesWhen.reads(expansion) || readFilter.reads(expansion) || writeFilter.reads(expansion)
  }
}
