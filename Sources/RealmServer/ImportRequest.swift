// SPDX-License-Identifier: Apache-2.0

// The work of the command `realm-server import`.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit
import RealmStorage
import Synchronization

/// An import as the operator asks for it.
struct ImportRequest: Sendable {
  /// The folder of the export.
  var export: String
  /// The folder or the file of the dump; nil for none.
  var data: String?
  /// The folder of the server.
  var out: String
  /// The list of users; nil for none.
  var users: String?
  var isDryRun = false
  var startsOver = false
  var sendsMail = true
  var mailsPerMinute = 60
  /// Whether the answer is JSON.
  var isJSON = false
  var options = ImportOptions()

  init(export: String, data: String?, out: String) {
    self.export = export
    self.data = data
    self.out = out
  }

  /// Carries the command out.
  ///
  /// - Parameters:
  ///   - ask: Whether to begin, once the plan is shown.
  ///   - show: Shows the plan and the progress.
  func answer(
    ask: () -> Bool, show output: @escaping @Sendable (String) -> Void
  ) async throws(ServerFailure) -> String {
    // Names of collections, classes and files are those of the export.
    let show = { @Sendable (text: String) in output(PlainText.lines(text)) }
    let files = DiskFiles()
    let plan: AppImportPlan
    do throws(ImportError) {
      plan = try AppImportPlan(export, data: data, in: files)
      if let users { _ = try files.open(users) }
    } catch {
      throw ServerFailure(error.description)
    }
    show(plan.text + "\n\n")
    if isDryRun {
      return CommandAnswer(
        "Nothing was done.",
        [JSONMember("app", .string(plan.app.id)), JSONMember("done", .bool(false))]
      ).text(asJSON: isJSON)
    }
    guard ask() else {
      throw ServerFailure("Nothing was done. Agree with y on a terminal, or give --yes.")
    }
    let app = try ImportedApp(plan, in: out, startsOver: startsOver)
    if app.mark?.isEmpty == false { show("An interrupted import goes on.\n") }
    let accounts = try app.accounts()
    let report: AppImportReport
    do throws(ImportError) {
      let meter = ProgressMeter(show)
      let run = try ImportRun(
        plan, in: files, to: app.target(accounts), options: options,
        after: app.mark?.isEmpty == false ? app.mark : nil, progress: { meter.show($0) })
      report = try await run.run(users: users)
      meter.end()
    } catch {
      throw ServerFailure(error.description)
    }
    try app.finish()
    var lines = [report.text]
    if report.rejectedCount > 0 {
      lines.append("They are in \(app.directory.rejectedPath(plan.app.id)), with the reasons.")
    }
    let invitation = try await invite(app, accounts, show)
    lines.append(invitation.text)
    lines.append("Serve the app with: realm-server serve --dir \(out)")
    let members = [
      JSONMember("app", .string(plan.app.id)), JSONMember("done", .bool(true)),
      JSONMember("users", JSONValue(report.userCount)), JSONMember("report", report.json),
    ]
    return CommandAnswer(lines.joined(separator: "\n"), members + invitation.members)
      .text(asJSON: isJSON)
  }

  private func invite(
    _ app: ImportedApp, _ accounts: AccountStore, _ show: @escaping @Sendable (String) -> Void
  ) async throws(ServerFailure) -> CommandAnswer {
    guard users != nil else {
      return CommandAnswer(
        "Without --users no former user can log in: see the guide.", [])
    }
    guard sendsMail else {
      return CommandAnswer(
        "No user was mailed. Do so with: realm-server users invite --dir \(out)", [])
    }
    let run = InvitationRun(
      app.plan.app, in: app.directory, store: accounts, key: app.key,
      mailsPerMinute: mailsPerMinute)
    let outcome = try await run.run { sent, all in
      if sent % 100 == 0 { show("\(sent) of \(all) mails\n") }
    }
    return CommandAnswer(
      InviteCommand.lines(outcome, app.plan.app, app.directory).joined(separator: "\n"),
      InviteCommand.members(outcome, app.plan.app, app.directory))
  }
}

/// Shows how far an import is, in steps of a tenth.
private final class ProgressMeter: Sendable {
  private let write: @Sendable (String) -> Void
  private let shown = Mutex(-1)

  init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  func show(_ progress: ImportProgress) {
    let tenth = progress.byteCount * 10 / max(1, progress.totalByteCount)
    let isNew = shown.withLock { shown in
      defer { shown = max(shown, tenth) }
      return tenth > shown
    }
    guard isNew else { return }
    write("\(tenth * 10) %, \(progress.documentCount) documents\n")
  }

  func end() { write("All documents are read.\n") }
}
#endif
