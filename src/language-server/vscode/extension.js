// Starts `systole language-server` and hands the files of the three languages to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("systole").get("command", "systole");
  const documentSelector = ["systole", "systole-rules", "systole-program"].map((language) => ({ language }));
  client = new LanguageClient("systole", "Systole", { command, args: ["language-server"] }, { documentSelector });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
