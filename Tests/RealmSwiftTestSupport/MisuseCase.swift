// SPDX-License-Identifier: Apache-2.0

// Programs that break a rule of the interface, as tables: each runs in a process of its own, which
// must end with the documented text.

import Foundation
package import Testing

/// A program that breaks a rule, and what it says before it ends.
package struct MisuseCase: Sendable {
  /// What the program does, as the name of a test.
  package let name: String
  /// The documented text.
  package let text: String
  package let program: @Sendable () throws -> Void

  package init(_ name: String, _ text: String, _ program: @escaping @Sendable () throws -> Void) {
    self.name = name
    self.text = text
    self.program = program
  }
}

extension [MisuseCase] {
  /// Runs the program of a case.
  package func run(_ name: String) throws {
    let found = try #require(first { $0.name == name })
    try found.program()
  }

  /// Expects that a process which ran the program of a case said so.
  package func expectText(of name: String, _ result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let text = first { $0.name == name }?.text ?? "no case of this name"
    #expect(
      said.contains("RealmSwift ended the program: \(text)") || said.contains("reason: '\(text)"),
      "\(name) said: \(said.prefix(400))")
  }
}
