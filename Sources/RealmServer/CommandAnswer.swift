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

  /// The form that was asked for.
  func text(asJSON isJSON: Bool) -> String {
    isJSON ? JSONWriter.text(.object(members)) : text
  }
}

extension JSONMember {
  /// What a server that runs, or a check, has to say besides: a line each.
  static func notes(_ text: String?) -> JSONMember {
    let lines = (text ?? "").split(separator: "\n").map { JSONValue.string(String($0)) }
    return JSONMember("notes", .array(lines))
  }
}
#endif
