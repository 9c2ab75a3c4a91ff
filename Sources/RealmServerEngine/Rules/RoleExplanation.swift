// SPDX-License-Identifier: Apache-2.0

// Which role of a class a user has, and what it allows, in sentences.

/// What a user may do with the objects of a class, and why.
package struct RoleExplanation: CustomStringConvertible {
  private let className: String
  /// Whether the class has roles of its own.
  private let isOfClass: Bool
  /// The roles that do not apply, up to the one that does.
  private let passed: [String]
  private let permission: ClassPermission

  package init(_ roles: AppRoles, of user: RuleUser, className: String) {
    self.className = className
    isOfClass = roles.classes[className] != nil
    let list = roles.roles(ofClass: className)
    permission = roles.permissions(of: user)[className]
    let name = permission.role
    passed = list.prefix { $0.name != name }.map(\.name)
  }

  package var description: String {
    let list = isOfClass ? "the roles of \(className)" : "the default roles"
    guard let role = permission.role else {
      let reason =
        passed.isEmpty
        ? "there are none" : "none applies (\(passed.map(Self.quoted).joined(separator: ", ")))"
      return "nothing: of \(list), \(reason)"
    }
    var lines = ["\(Self.quoted(role)) applies, the first of \(list) whose \"apply_when\" holds"]
    if !passed.isEmpty {
      lines[0] += "; not \(passed.map(Self.quoted).joined(separator: ", "))"
    }
    lines.append("reads: \(permission.read)\(readFields)")
    let fields = changedFields
    lines.append("changes: \(fields.isEmpty ? "no objects" : "\(permission.write)\(fields)")")
    lines.append("inserts: \(permission.inserts ? "\(permission.write)" : "no objects")")
    lines.append("deletes: \(permission.deletes ? "\(permission.write)" : "no objects")")
    return lines.joined(separator: "\n")
  }

  /// The readable properties; nothing to add if all are.
  private var readFields: String {
    guard permission.read != .constant(false), !permission.readable.isAll else { return "" }
    let names = permission.readable.exceptions.sorted().joined(separator: ", ")
    return permission.readable.others
      ? ", all properties but \(names)" : ", the properties \(names)"
  }

  /// The properties that may be changed: nothing to add if all may; empty if none may.
  private var changedFields: String {
    let names = permission.fields.filter { $0.value != permission.otherFields }.keys.sorted()
    switch (permission.otherFields, names.isEmpty) {
    case (true, true): return ", all properties"
    case (true, false): return ", all properties but \(names.joined(separator: ", "))"
    case (false, true): return ""
    case (false, false): return ", the properties \(names.joined(separator: ", "))"
    }
  }

  private static func quoted(_ name: String) -> String { "\"\(name)\"" }
}
