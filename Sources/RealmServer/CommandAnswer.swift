// SPDX-License-Identifier: Apache-2.0

// The answers of commands: lines for people, and JSON for programs.

#if Server
import ArgumentParser
import RealmFormats

/// The option of commands with two forms of an answer.
struct AnswerOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false
}

/// What a command has to say.
struct CommandAnswer {
  /// Lines for people.
  let text: String
  /// The members of the object for programs.
  let members: [JSONMember]

  init(_ text: String, _ members: [JSONMember]) {
    self.text = text
    self.members = members
  }

  /// - Parameter notes: What a running server, or a check, has to say besides: more lines for
  ///   people, and the member `notes` for programs.
  init(_ text: String, _ members: [JSONMember], notes: [String]) {
    let notes = notes.filter { !$0.isEmpty }.joined(separator: "\n")
    self.init(notes.isEmpty ? text : text + "\n" + notes, members + [.notes(notes)])
  }

  /// The form that was asked for.
  func text(asJSON isJSON: Bool) -> String {
    isJSON ? JSONWriter.text(.object(members)) : text
  }
}

extension JSONMember {
  /// A string for each line.
  static func notes(_ text: String) -> JSONMember {
    JSONMember("notes", .array(text.split(separator: "\n").map { .string(String($0)) }))
  }
}
#endif
