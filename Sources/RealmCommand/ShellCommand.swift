// SPDX-License-Identifier: Apache-2.0

// Statements on a terminal, or from a pipe.

#if Tools
import ArgumentParser
import Foundation
import RealmTools

/// The command `realm shell`.
struct ShellCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Runs queries and changes, on a terminal or from standard input.",
    discussion: """
      Statements: Class WHERE predicate …, INSERT Class {…}, UPDATE Class SET {…} WHERE predicate, \
      DELETE Class WHERE predicate, BEGIN, COMMIT, ROLLBACK, .classes, .schema, .explain, .help, \
      .quit. On a terminal, the tabulator key completes words and the arrow keys bring earlier \
      lines back, which are kept in ~/.realm_history (or REALM_HISTORY). Control-C ends the \
      statement that runs, and neither the shell nor its transaction. From a pipe, the first \
      mistake ends the shell; an open transaction is undone.

      Example: realm shell dogs.realm
      """)

  @OptionGroup var file: FileOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Print results as JSON lines, for programs.")
  var json = false

  /// A line of standard input; nil at its end. There `readLine` asks again for as long as `errno`
  /// is that of an interrupted call, which a call of the database may have left.
  private func nextLine() -> String? {
    errno = 0
    return readLine()
  }

  func work() throws -> ExitStatus {
    let stop = StatementStop()
    let session = try ShellSession(
      path: file.file, key: file.encryption.key(), waiting: writing.waiting(for: file.file),
      stop: stop)
    let printer = ShellPrinter(isJSON: json)
    guard isatty(0) == 1, Terminal.isOutput, let terminal = RawTerminal() else {
      while let line = nextLine() {
        guard try printer.print(try session.run(line)) else { return .fine }
      }
      if session.isInTransaction {
        Terminal.complain("The input ended in a transaction, which was undone. End it with COMMIT.")
        return .badData
      }
      return .fine
    }
    stop.makeCurrent()
    let history = HistoryFile()
    var editor = LineEditor(history: history.lines)
    show("realm shell. '.help' lists the statements, '.quit' ends it.")
    while true {
      let prompt = session.isInTransaction ? "realm* " : "realm> "
      guard let line = terminal.readLine(prompt, &editor, session.completions) else { break }
      history.append(line)
      do {
        guard try printer.print(try session.run(line)) else { break }
      } catch { Terminal.complain(ToolFailure(error).message) }
    }
    if session.isInTransaction { show("The open transaction was undone.") }
    return .fine
  }

  private func show(_ text: String) {
    Terminal.write(TerminalText.safe(text) + "\n", to: 1)
  }
}
#endif
