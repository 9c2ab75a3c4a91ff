// SPDX-License-Identifier: Apache-2.0

// The code of a program that its apps call.

#if Server
import RealmServerEngine
import RealmServerServices

/// The code for an app.
struct AppCode: Sendable {
  var functions = FunctionTable()
  var logins = LoginFunctions()
  var triggers: [TriggerSettings] = []
}

/// The code for all apps of a program.
struct ProgramCode: Sendable {
  /// The code for apps without their own.
  var usual = AppCode()
  var apps: [String: AppCode] = [:]

  subscript(app: String) -> AppCode { apps[app] ?? usual }
}
#endif
