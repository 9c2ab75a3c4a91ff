// SPDX-License-Identifier: Apache-2.0

// The arguments of the program.

/// What the program is to do, and where.
struct Command: Equatable {
  /// What is done with the list.
  enum Action: Equatable {
    case help
    case list
    case add(String)
    /// The number is that of `list`, from 1.
    case done(Int)
    case remove(Int)
    case watch
  }

  /// Arguments that say nothing the program can do.
  struct Mistake: Error, Equatable {
    let text: String
  }

  static let usage = """
    usage: realm-todos [--server URL] [--app ID] [--dir DIR] [--wait SECONDS] ACTION

    A list of things to do that all devices of an app share.

      list       shows the list
      add NAME   adds a line
      done N     ticks line N
      remove N   removes line N
      watch      shows the list again whenever it changes, until Control-C

      --server   the address of the server (http://127.0.0.1:9090)
      --app      the id of the app at the server (todos)
      --dir      where this device keeps its data; another folder is another device
      --wait     the longest time to wait for the server, in seconds (5)

    Without a server the program works with what is here, and catches up later.
    """

  var server = "http://127.0.0.1:9090"
  var app = "todos"
  var directory: String?
  var patience = 5.0
  var action: Action

  /// Parses the arguments of the program, without its name.
  init(_ arguments: [String]) throws(Mistake) {
    action = .help
    var words: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": return
      case "--": words += rest
      case "--server": server = try Self.value(of: word, &rest)
      case "--app": app = try Self.value(of: word, &rest)
      case "--dir": directory = try Self.value(of: word, &rest)
      case "--wait":
        let text = try Self.value(of: word, &rest)
        guard let seconds = Double(text), seconds >= 0, seconds <= 3600 else {
          throw Mistake(text: "--wait needs a number of seconds, not '\(text)'.")
        }
        patience = seconds
      case _ where word.hasPrefix("--"): throw Mistake(text: "There is no option \(word).")
      default: words.append(word)
      }
      if word == "--" { break }
    }
    action = try Self.action(words)
  }

  private static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(Mistake) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw Mistake(text: "\(option) needs a value.")
    }
    return value
  }

  private static func action(_ words: [String]) throws(Mistake) -> Action {
    switch (words.first, words.count) {
    case (nil, _): throw Mistake(text: "Say what to do: list, add, done, remove or watch.")
    case ("list", 1): return .list
    case ("watch", 1): return .watch
    case ("add", 2...): return .add(words.dropFirst().joined(separator: " "))
    case ("add", _): throw Mistake(text: "add needs a name.")
    case ("done", 2): return .done(try number(words[1]))
    case ("remove", 2): return .remove(try number(words[1]))
    case ("done"?, _), ("remove"?, _):
      throw Mistake(text: "\(words[0]) needs the number of one line.")
    case ("list"?, _), ("watch"?, _): throw Mistake(text: "\(words[0]) takes nothing more.")
    default: throw Mistake(text: "There is no action '\(words[0])'.")
    }
  }

  private static func number(_ word: String) throws(Mistake) -> Int {
    guard let number = Int(word), number > 0 else {
      throw Mistake(text: "'\(word)' is no number of a line.")
    }
    return number
  }
}
