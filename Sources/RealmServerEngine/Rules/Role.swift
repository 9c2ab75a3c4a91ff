// SPDX-License-Identifier: Apache-2.0

// What a role allows (P4 C.1).

import RealmReplication

/// A role of an app in flexible mode.
package struct Role: Hashable, Sendable {
  /// Rights to properties; nil where the file says nothing.
  package struct Access: Hashable, Sendable {
    package var read: Bool?
    package var write: Bool?

    package init(read: Bool? = nil, write: Bool? = nil) {
      self.read = read
      self.write = write
    }
  }

  /// The rights to a property, and to those of its embedded objects.
  package struct FieldRule: Hashable, Sendable {
    package var access: Access
    /// The rules of single properties of the embedded objects.
    package var fields: [String: FieldRule] = [:]
    /// The rights to all other properties of them.
    package var otherFields = Access()

    package init(read: Bool? = nil, write: Bool? = nil) {
      access = Access(read: read, write: write)
    }

    /// Whether the rule is about single properties of embedded objects.
    package var isNested: Bool { !fields.isEmpty || otherFields != Access() }
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
  /// The rights to all other properties.
  package var otherFields = Access()

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
    let (read, write) = (readFilter.resolved(in: context), writeFilter.resolved(in: context))
    let (readable, writable) = (readableFields, selection(of: \.write))
    return ClassPermission(
      role: name,
      read: readable.isEmpty
        ? .constant(false) : read == write ? read : .joined(any: [read, write]),
      readable: readable.isEmpty ? .all : readable, write: write, inserts: inserts,
      deletes: deletes, writable: writable)
  }

  /// The readable properties; none if objects may not be read.
  private var readableFields: FieldSelection { selection(of: \.read) }

  /// The rights of the role to properties that no rule names.
  var access: Rights {
    Rights(read: reads, write: writes)
  }

  private func selection(of right: KeyPath<Rights, Bool>) -> FieldSelection {
    Self.selection(fields, otherFields, within: access, right)
  }

  /// The properties with a right, among those that some rules are about.
  private static func selection(
    _ fields: [String: FieldRule], _ otherFields: Access, within access: Rights,
    _ right: KeyPath<Rights, Bool>
  ) -> FieldSelection {
    let others = access.replaced(by: otherFields)
    var selection = FieldSelection(others: others[keyPath: right])
    for (name, rule) in fields {
      let own = others.replaced(by: rule.access)
      selection.set(
        name,
        to: rule.isNested
          ? Self.selection(rule.fields, rule.otherFields, within: own, right)
          : FieldSelection(others: own[keyPath: right]))
    }
    return selection
  }

  /// Whether the role depends on an expansion.
  func reads(_ expansion: RuleExpansion) -> Bool {
    appliesWhen.reads(expansion) || readFilter.reads(expansion) || writeFilter.reads(expansion)
  }
}

extension Role {
  /// The rights to a property. What may be written may be read.
  struct Rights: Hashable {
    private let declaredRead: Bool
    let write: Bool

    init(read: Bool, write: Bool) {
      declaredRead = read
      self.write = write
    }

    var read: Bool { declaredRead || write }

    /// The rights where a nearer rule says something.
    func replaced(by access: Access) -> Rights {
      Rights(read: access.read ?? declaredRead, write: access.write ?? write)
    }
  }
}
