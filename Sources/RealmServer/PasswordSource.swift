// SPDX-License-Identifier: Apache-2.0

// Where the password of a command comes from: never from its arguments, which all users of the
// machine see.

#if Server
import ArgumentParser
import RealmServerKit

/// The option of commands that need a password.
struct PasswordSource: ParsableArguments {
  @Flag(help: "Read the password from the first line of the standard input.")
  var passwordStdin = false

  /// The characters of passwords that are made: letters and digits that are not confused.
  private static let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
  private static let letterCount = 20

  /// The password that was given; nil to have one made.
  func given() throws(ServerFailure) -> String? {
    guard passwordStdin else { return nil }
    guard let line = readLine() else {
      throw ServerFailure("The standard input has no line with a password.")
    }
    return line
  }

  /// A password of 20 letters and digits.
  static func made() -> String {
    String((0..<letterCount).map { _ in letters[Int.random(in: letters.indices)] })
  }
}
#endif
