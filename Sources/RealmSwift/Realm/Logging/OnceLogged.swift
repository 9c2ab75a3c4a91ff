// SPDX-License-Identifier: Apache-2.0

// Messages about a type of the program that are logged once, however often there is a reason.

import RealmStorage

/// The types that a message was logged about. A message of an unwanted level is logged later, once
/// its level is wanted.
final class OnceLogged: Sendable {
  private let logged = Locked<Set<ObjectIdentifier>>([])

  /// Logs a message about a type, unless that was done; `message` may find out that there is none.
  func log(_ level: LogLevel, about type: Any.Type, _ message: () -> String?) {
    let identifier = ObjectIdentifier(type)
    guard Logger.wants(level), !logged.withLock({ $0.contains(identifier) }) else { return }
    let text = message()
    guard logged.withLock({ $0.insert(identifier).inserted }), let text else { return }
    Logger.log(level, text)
  }
}
