//! The MCP server as the SDK calls it: finds the tool, runs it on a thread and returns its result.

use std::sync::{Arc, LazyLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch;

use super::context::ToolContext;
use super::tool::{Execution, Tool, answer};
use super::{agents, board, messages, resources, review, tasks, taskspaces, wait};

/// The instructions that a model receives about all tools.
const INSTRUCTIONS: &str = "Symposium runs coding agents in tmux; you may be one of them. \
Delegate: `spawn_agent` with a task starts a child agent, `wait_task` returns the result. \
Report: `report_progress` and `complete_task` apply to your current task. \
Communicate: `send_message` sends to an agent, `parent`, `children` or `person` (the user); `read_messages` returns \
your unread messages. \
Share: `board_set` and `board_get` write and read notes of your project. \
Review: `list_review_comments` returns the user's comments on your changes; `resolve_review_comment` marks one as done. \
You can reach yourself, your descendants, the agents of your project and, with messages, your parent.";

/// The supported requests that have parameters.
const METHODS_WITH_PARAMS: [&str; 5] =
    ["initialize", "tools/call", "tools/list", "resources/read", "resources/list"];

/// All tools in the order in which they are listed.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let groups = [
        agents::tools(),
        tasks::tools(),
        messages::tools(),
        board::tools(),
        taskspaces::tools(),
        review::tools(),
    ];
    groups.into_iter().flatten().collect()
});

/// The request handler of the MCP server.
pub(super) struct McpHandler {
    context: Arc<ToolContext>,
    /// Becomes `true` when the client has closed the connection.
    is_over: watch::Receiver<bool>,
}

impl McpHandler {
    pub(super) fn new(context: ToolContext, is_over: watch::Receiver<bool>) -> McpHandler {
        McpHandler { context: Arc::new(context), is_over }
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(can)
            .with_server_info(Implementation::new("symposium", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Tool::described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let what = format!("there is no tool `{}`; known: {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(what, None));
        };
        let input = request.arguments.unwrap_or_default();
        let context = Arc::clone(&self.context);
        let outcome = match &tool.execution {
            Execution::Immediate(call) => on_a_thread(move || call(&context, input)).await??,
            Execution::Waits => wait::wait(context, input, &request_context, self.is_over.clone()).await?,
        };
        answer(tool.name, outcome).map(Into::into)
    }

    /// Rejects a request that the SDK could not parse: its method is unknown or its parameters are invalid.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        match METHODS_WITH_PARAMS.contains(&method.as_str()) {
            true => {
                Err(ErrorData::invalid_params(format!("the parameters of `{method}` are not valid"), None))
            }
            false => {
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no `{method}`"), None))
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::fixed()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let context = Arc::clone(&self.context);
        on_a_thread(move || resources::read(&context, &request.uri)).await?.map(Into::into)
    }
}

/// Runs a blocking function on a separate thread.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ErrorData::internal_error(format!("a tool failed unexpectedly: {error}"), None))
}
