// SPDX-License-Identifier: Apache-2.0

// What the reading of `app.json` asks of a program.

#if Server
/// The files and functions of a program for reading the file of an app.
package struct AppFileSupport: Sendable {
  /// The content of a file of secrets; nil if it cannot be read.
  let contents: @Sendable (_ file: String) -> [UInt8]?
  /// Whether a key fits an algorithm.
  let isUsable: @Sendable (VerificationKey, SigningAlgorithm) -> Bool
  /// Whether the program has a function for logins.
  let hasFunction: @Sendable (_ name: String) -> Bool
  /// Whether the program has a function for clients and triggers.
  let isFunction: @Sendable (_ name: String) -> Bool

  /// - Parameters:
  ///   - contents: Reads a file of secrets by the name in the app's file.
  ///   - isUsable: Checks a key. Without it all are accepted.
  ///   - hasFunction: Finds a function for logins. Without it all names are accepted.
  ///   - isFunction: Finds a function for clients and triggers. Without it all names are accepted.
  package init(
    contents: @escaping @Sendable (_ file: String) -> [UInt8]? = { _ in nil },
    isUsable: @escaping @Sendable (VerificationKey, SigningAlgorithm) -> Bool = { _, _ in true },
    hasFunction: @escaping @Sendable (_ name: String) -> Bool = { _ in true },
    isFunction: @escaping @Sendable (_ name: String) -> Bool = { _ in true }
  ) {
    self.contents = contents
    self.isUsable = isUsable
    self.hasFunction = hasFunction
    self.isFunction = isFunction
  }
}
#endif
