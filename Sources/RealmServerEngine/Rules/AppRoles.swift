// SPDX-License-Identifier: Apache-2.0

// The roles of an app in flexible mode (P4 C.1).
//
// Invariants:
// 1. No role, no permission: a user to whom no role of a class applies reads and changes nothing of
//    it, whatever the default roles say.

/// The roles of each class, and those of all other classes.
package struct AppRoles: Hashable, Sendable {
  /// In the order of the file: the first that applies decides.
  package var fallback: [Role]
  package var classes: [String: [Role]]

  package init(fallback: [Role] = [], classes: [String: [Role]] = [:]) {
    self.fallback = fallback
    self.classes = classes
  }

  /// Whether there are none.
  package var isEmpty: Bool { fallback.isEmpty && classes.values.allSatisfy(\.isEmpty) }

  /// The roles of a class in their order.
  package func roles(ofClass name: String) -> [Role] { classes[name] ?? fallback }

  /// The permissions of a user.
  package func permissions(of user: RuleUser) -> SessionPermissions {
    let context = RuleContext(user: user, partition: nil)
    func permission(_ roles: [Role]) -> ClassPermission {
      roles.first { $0.appliesWhen.holds(in: context) }?.permission(in: context) ?? .none
    }
    return SessionPermissions(
      classes: classes.mapValues(permission), fallback: permission(fallback))
  }

  /// Whether a role depends on the addresses of users.
  package var readsEmail: Bool {
    (fallback + classes.values.joined()).contains { $0.reads(.userEmail) }
  }
}
